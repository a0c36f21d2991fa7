//! Parses classes in Python source: names, and attributes with literal values.
//!
//! The original keeps the descriptions of its APIs, and the tables of the planning APIs, in Python
//! files. Nothing is executed: assignments of literals are read, everything else is skipped. Never
//! panics: any text yields classes or an error with its line. Nesting and the number of values are
//! limited.

mod cursor;
mod moment;
mod text;
mod value;

use cursor::{Cursor, Stop};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use thiserror::Error;

/// Maximum nesting of lists and dicts.
pub const MAX_DEPTH: usize = 32;
/// Maximum number of values in a file, including those inside lists and dicts.
pub const MAX_VALUES: usize = 200_000;

/// A class with its literals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The line of its `class`, from 1.
    pub line: usize,
    /// Attributes assigned in the class body.
    pub attributes: Map<String, Value>,
    /// Attributes of `self` assigned in `__init__`.
    pub fields: Map<String, Value>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct PythonError {
    /// The line, from 1.
    pub line: usize,
    /// What was expected.
    pub reason: String,
}

/// The classes of a file, in source order.
///
/// Tuples become lists, dict keys strings, and `datetime.datetime(…)` with numbers
/// `YYYY-MM-DD HH:MM:SS`. A name resolves to a literal assigned to it earlier at module level.
///
/// # Errors
/// If a quote or bracket is never closed, or a limit is exceeded.
pub fn classes(source: &str) -> Result<Vec<Class>, PythonError> {
    let mut walk = Walk { cursor: Cursor::new(source), ..Walk::default() };
    match walk.run() {
        Ok(()) => Ok(walk.classes),
        Err((at, reason)) => {
            Err(PythonError { line: walk.cursor.lines_between(0, at) + 1, reason })
        }
    }
}

/// An enclosing block. Its lines are indented deeper than `indent`.
#[derive(Debug, Clone, Copy)]
struct Scope {
    indent: usize,
    kind: ScopeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    /// The body of a class, by its index.
    Class(usize),
    /// The `__init__` of a class.
    Init(usize),
    /// Another function.
    Function,
}

#[derive(Default)]
struct Walk<'a> {
    cursor: Cursor<'a>,
    scopes: Vec<Scope>,
    classes: Vec<Class>,
    /// Literals assigned at module level, by name.
    constants: BTreeMap<&'a str, Value>,
    /// The last byte offset passed to `line_of`, and its line, from 0.
    seen: (usize, usize),
}

impl<'a> Walk<'a> {
    fn run(&mut self) -> Result<(), (usize, String)> {
        while let Some(indent) = self.cursor.next_statement() {
            while self.scopes.last().is_some_and(|scope| scope.indent >= indent) {
                self.scopes.pop();
            }
            let start = self.cursor.at;
            self.statement(indent)?;
            // Skip the whole statement, however much of it was parsed.
            self.cursor.at = start;
            self.cursor.skip_statement()?;
        }
        Ok(())
    }

    fn statement(&mut self, indent: usize) -> Result<(), (usize, String)> {
        let start = self.cursor.at;
        let Some(mut word) = self.cursor.word() else { return Ok(()) };
        if word == "async" {
            self.cursor.blanks(false);
            word = self.cursor.word().unwrap_or_default();
        }
        match word {
            "class" => {
                self.cursor.blanks(false);
                let name = self.cursor.word().unwrap_or_default().to_owned();
                let line = self.line_of(start);
                self.classes.push(Class { name, line, ..Class::default() });
                self.push(indent, ScopeKind::Class(self.classes.len() - 1));
            }
            "def" => {
                self.cursor.blanks(false);
                let init = self.cursor.word() == Some("__init__");
                let kind = match self.scopes.last() {
                    Some(Scope { kind: ScopeKind::Class(class), .. }) if init => {
                        ScopeKind::Init(*class)
                    }
                    _ => ScopeKind::Function,
                };
                self.push(indent, kind);
            }
            "else" | "try" | "finally" => {}
            word => self.assignment(word)?,
        }
        Ok(())
    }

    /// The line of a byte, from 1. Calls must not go backwards.
    fn line_of(&mut self, at: usize) -> usize {
        let (seen, lines) = self.seen;
        self.seen = (at, lines + self.cursor.lines_between(seen, at));
        self.seen.1 + 1
    }

    fn push(&mut self, indent: usize, kind: ScopeKind) {
        self.scopes.push(Scope { indent, kind });
    }

    /// `name = literal` in a class body or in the module, `self.name = literal` in `__init__`.
    fn assignment(&mut self, word: &'a str) -> Result<(), (usize, String)> {
        let scope = self.scopes.last().map(|scope| scope.kind);
        let target = match scope {
            Some(ScopeKind::Function) => return Ok(()),
            Some(ScopeKind::Init(_)) if word != "self" || !self.cursor.eat('.') => return Ok(()),
            Some(ScopeKind::Init(_)) => self.cursor.word(),
            Some(ScopeKind::Class(_)) | None => Some(word),
        };
        let Some(target) = target else { return Ok(()) };
        if !self.cursor.assigns() {
            return Ok(());
        }
        let value = match self.assigned() {
            Ok(value) => value,
            Err(Stop::NoLiteral) => return Ok(()),
            Err(Stop::Broken(at, reason)) => return Err((at, reason)),
        };
        match scope {
            Some(ScopeKind::Class(class)) => {
                let class = self.classes.get_mut(class);
                class.map(|class| class.attributes.insert(target.to_owned(), value));
            }
            Some(ScopeKind::Init(class)) => {
                let class = self.classes.get_mut(class);
                class.map(|class| class.fields.insert(target.to_owned(), value));
            }
            _ => drop(self.constants.insert(target, value)),
        }
        Ok(())
    }

    /// The right-hand side: a literal, or the name of one, with nothing after it.
    fn assigned(&mut self) -> Result<Value, Stop> {
        let start = self.cursor.at;
        if let Some(known) = self.cursor.word().and_then(|name| self.constants.get(name))
            && self.cursor.ends_statement()
        {
            self.cursor.spend(values(known))?;
            return Ok(known.clone());
        }
        self.cursor.at = start;
        let value = value::read(&mut self.cursor, 0)?;
        if self.cursor.ends_statement() { Ok(value) } else { Err(Stop::NoLiteral) }
    }
}

/// Number of values in a value, including itself.
fn values(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(values).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(values).sum::<usize>(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
