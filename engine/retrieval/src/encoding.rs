//! How the numbers of one matrix are written, and how they are read back row by row.
//!
//! All encodings keep the arithmetic in f32: a number is a small integer times a step. Steps
//! are bfloat16 (the upper half of an f32), rounded before the integers are chosen, so that
//! their coarseness costs nothing.
//!
//! | encoding | layout |
//! |---|---|
//! | `f32` | the numbers, row by row |
//! | `int` | `bits` (4 or 8) an integer, row by row, low half of a byte first; then a step for every `group` columns of every row |
//! | `coded` | the number of tables (u16), each 256 symbol frequencies (u16); for every row its table (u8), its step, the length of its stream (u16); the rows' streams, see [`coder`]. A row without a stream is all zeros |
//!
//! `coded` is the small one: weights are close to normally distributed, and for such a source
//! a uniform step with an entropy coder is within a quarter of a bit of the best possible
//! (Gish & Pierce 1968), where fixed-width groups pay for their scales and their unused codes.
//! Rows that matter less get a coarser step and, with it, a table of their own. Each row is a
//! stream of its own, so a table in memory stays coded and one row costs
//! microseconds.

use kernels::coder;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How the numbers of a matrix are written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Exact.
    F32,
    /// Integers of fixed width, a step for each group of columns.
    Int {
        /// Bits an integer: 4 or 8.
        bits: u8,
        /// Columns that share a step; divides the columns. All columns: one step a row.
        group: usize,
    },
    /// Integers of any size, entropy-coded, one step a row.
    Coded {
        /// The step in units of the row's root mean square: what a smaller file trades away.
        /// For the record: the reader does not need it, and single rows may differ.
        step: f32,
    },
}

/// One matrix (a vector is a matrix of one row), still in its encoding.
#[derive(Debug, Clone)]
pub struct Matrix<'a> {
    rows: usize,
    columns: usize,
    data: Cow<'a, [u8]>,
    form: Form,
}

/// What is needed beside the bytes to read a row.
#[derive(Debug, Clone)]
enum Form {
    F32,
    Int {
        bits: u8,
        group: usize,
    },
    /// Where each row's stream starts, with the end of the last.
    Coded {
        tables: Vec<coder::Table>,
        starts: Vec<u32>,
    },
}

impl<'a> Matrix<'a> {
    /// Checks that the bytes are what shape and encoding promise. The reason says what is not.
    pub(crate) fn new(
        [rows, columns]: [usize; 2],
        encoding: Encoding,
        data: &'a [u8],
    ) -> Result<Self, String> {
        let expect = |expected: usize| {
            if data.len() == expected {
                return Ok(());
            }
            Err(format!(
                "expected {expected} bytes for {rows} rows of {columns}, found {}",
                data.len()
            ))
        };
        let form = match encoding {
            Encoding::F32 => expect(rows * columns * 4).map(|()| Form::F32)?,
            Encoding::Int { bits, group } => {
                check_int(bits, group, columns)?;
                let steps = rows * (columns / group);
                expect(rows * columns * usize::from(bits) / 8 + steps * 2)?;
                Form::Int { bits, group }
            }
            Encoding::Coded { .. } => coded_form(rows, data)?,
        };
        Ok(Self { rows, columns, data: Cow::Borrowed(data), form })
    }

    /// The same matrix with bytes of its own.
    pub(crate) fn into_owned(self) -> Matrix<'static> {
        let Self { rows, columns, data, form } = self;
        Matrix { rows, columns, data: Cow::Owned(data.into_owned()), form }
    }

    /// Rows, columns.
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// Reads one row into `out`; false, with `out` as it was, when there is no such row or
    /// `out` is not as long as a row.
    pub fn read_row(&self, row: usize, out: &mut [f32]) -> bool {
        if row >= self.rows || out.len() != self.columns {
            return false;
        }
        match &self.form {
            Form::F32 => {
                let (numbers, _) = self.data.as_chunks::<4>();
                for (out, number) in out.iter_mut().zip(&numbers[row * self.columns..]) {
                    *out = f32::from_le_bytes(*number);
                }
            }
            Form::Int { bits, group } => self.read_ints(row, *bits, *group, out),
            Form::Coded { .. } => {
                let mut integers = vec![0; self.columns];
                let step = self.read_integers(row, &mut integers).unwrap_or_default();
                for (out, integer) in out.iter_mut().zip(integers) {
                    *out = f32::from(integer) * step;
                }
            }
        }
        true
    }

    /// Whether its rows are integers of any size, one step a row.
    pub(crate) fn is_coded(&self) -> bool {
        matches!(self.form, Form::Coded { .. })
    }

    /// Reads one row of a coded matrix as it stands and returns its step; `None`, with `out` as it
    /// was, where [`Matrix::read_row`] gives `false` or the matrix is not coded.
    pub(crate) fn read_integers(&self, row: usize, out: &mut [i16]) -> Option<f32> {
        if row >= self.rows || out.len() != self.columns {
            return None;
        }
        let step = self.step(row)?;
        match self.stream(row) {
            Some((table, stream)) => table.decode(stream, out),
            None => out.fill(0),
        }
        Some(step)
    }

    /// Hands over every row of a coded matrix as it stands, with its step; no row of another one. Two
    /// at a time leave their coding, in little more than the time of one.
    pub(crate) fn each_row(&self, mut take: impl FnMut(&[i16], f32)) {
        let [mut first, mut second] = [(); 2].map(|()| vec![0; self.columns]);
        for row in (0..self.rows).step_by(2) {
            let pair = (self.stream(row), self.stream(row + 1));
            if let (Some(a), Some(b)) = pair {
                coder::Table::decode_two([a, b], [&mut first, &mut second]);
                take(&first, self.step(row).unwrap_or_default());
                take(&second, self.step(row + 1).unwrap_or_default());
                continue;
            }
            for row in row..self.rows.min(row + 2) {
                if let Some(step) = self.read_integers(row, &mut first) {
                    take(&first, step);
                }
            }
        }
    }

    /// The step of a row of a coded matrix.
    fn step(&self, row: usize) -> Option<f32> {
        let Form::Coded { tables, .. } = &self.form else { return None };
        let head = 2 + tables.len() * coder::TABLE_BYTES;
        Some(bf16_at(&self.data, head + self.rows + row * 2))
    }

    /// The stream of a row of a coded matrix, with its table; `None` where it has none.
    fn stream(&self, row: usize) -> Option<(&coder::Table, &[u8])> {
        let Form::Coded { tables, starts } = &self.form else { return None };
        let head = 2 + tables.len() * coder::TABLE_BYTES;
        let table = tables.get(usize::from(*self.data.get(head + row)?))?;
        let (start, end) = (*starts.get(row)?, *starts.get(row + 1)?);
        let stream = self.data.get(start as usize..end as usize)?;
        (!stream.is_empty()).then_some((table, stream))
    }

    fn read_ints(&self, row: usize, bits: u8, group: usize, out: &mut [f32]) {
        let width = usize::from(bits);
        let first = row * self.columns * width / 8;
        let steps = self.rows * self.columns * width / 8 + row * (self.columns / group) * 2;
        for (at, out) in out.iter_mut().enumerate() {
            let step = bf16_at(&self.data, steps + at / group * 2);
            let byte = self.data[first + at * width / 8];
            let integer = match (bits, at % 2) {
                (8, _) => byte as i8,
                (_, 0) => (byte << 4) as i8 >> 4,
                _ => byte as i8 >> 4,
            };
            *out = f32::from(integer) * step;
        }
    }

    /// All numbers, row by row.
    #[must_use]
    pub fn to_vec(&self) -> Vec<f32> {
        let mut all = vec![0.0; self.rows * self.columns];
        for (row, out) in all.chunks_exact_mut(self.columns).enumerate() {
            self.read_row(row, out);
        }
        all
    }
}

fn check_int(bits: u8, group: usize, columns: usize) -> Result<(), String> {
    if !matches!(bits, 4 | 8) {
        return Err(format!("expected 4 or 8 bits, found {bits}"));
    }
    if group == 0 || !columns.is_multiple_of(group) || !columns.is_multiple_of(2) {
        return Err(format!("expected a group that divides {columns} even columns, found {group}"));
    }
    Ok(())
}

/// Reads tables and stream lengths of a coded matrix.
fn coded_form(rows: usize, data: &[u8]) -> Result<Form, String> {
    let count = data.first_chunk::<2>().map_or(0, |count| usize::from(u16::from_le_bytes(*count)));
    let head = 2 + count * coder::TABLE_BYTES;
    let mut end = head + rows * 5;
    let (Some(tables), Some(lengths)) = (data.get(2..head), data.get(head + rows * 3..end)) else {
        return Err(format!(
            "expected at least {end} bytes for {rows} rows and {count} tables, found {}",
            data.len()
        ));
    };
    let tables = tables.chunks_exact(coder::TABLE_BYTES).map(coder::Table::read);
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    if let Some(table) = data[head..head + rows].iter().find(|&&table| usize::from(table) >= count)
    {
        return Err(format!("expected rows with a table below {count}, found {table}"));
    }
    let mut starts = Vec::with_capacity(rows + 1);
    starts.push(end as u32);
    for length in lengths.as_chunks::<2>().0 {
        end += usize::from(u16::from_le_bytes(*length));
        starts.push(end as u32);
    }
    if end != data.len() {
        return Err(format!("expected {end} bytes by the row lengths, found {}", data.len()));
    }
    Ok(Form::Coded { tables, starts })
}

/// The bfloat16 at a byte offset; 0 past the end.
fn bf16_at(data: &[u8], at: usize) -> f32 {
    let bytes = data.get(at..at + 2).and_then(|bytes| bytes.first_chunk::<2>());
    bytes.map_or(0.0, |bytes| f32::from_bits(u32::from(u16::from_le_bytes(*bytes)) << 16))
}

/// The nearest bfloat16 of a finite number.
fn bf16(number: f32) -> u16 {
    (number.to_bits().saturating_add(0x8000) >> 16) as u16
}

/// Writes a matrix, `numbers` row by row, in an encoding.
///
/// # Errors
/// When the numbers are not `shape[0] * shape[1]` finite ones, or the encoding does not fit
/// their shape. The reason says which.
pub fn encode_matrix(
    shape: [usize; 2],
    encoding: Encoding,
    numbers: &[f32],
) -> Result<Vec<u8>, String> {
    let [rows, columns] = shape;
    if numbers.len() != rows * columns || numbers.iter().any(|number| !number.is_finite()) {
        return Err(format!("expected {rows} x {columns} finite numbers, found {}", numbers.len()));
    }
    match encoding {
        Encoding::F32 => Ok(numbers.iter().flat_map(|number| number.to_le_bytes()).collect()),
        Encoding::Int { bits, group } => {
            check_int(bits, group, columns)?;
            Ok(encode_ints(bits, group, numbers))
        }
        Encoding::Coded { step } => encode_rows(columns, &vec![step; rows], numbers, nearest),
    }
}

fn encode_ints(bits: u8, group: usize, numbers: &[f32]) -> Vec<u8> {
    let limit = if bits == 4 { 7.0 } else { 127.0 };
    let mut steps = Vec::new();
    let mut integers = Vec::with_capacity(numbers.len());
    for group in numbers.chunks_exact(group) {
        let step = best_step(group, limit);
        let real = f32::from_bits(u32::from(step) << 16);
        integers.extend(group.iter().map(|&number| quantize(number, real, limit) as i8));
        steps.extend_from_slice(&step.to_le_bytes());
    }
    let mut bytes: Vec<u8> = match bits {
        4 => integers.chunks(2).map(|pair| pair[0] as u8 & 15 | (pair[1] as u8) << 4).collect(),
        _ => integers.iter().map(|&integer| integer as u8).collect(),
    };
    bytes.append(&mut steps);
    bytes
}

/// The step, as bfloat16, with the least squared error: the largest number rarely deserves the
/// last code, so smaller ranges are tried as well.
fn best_step(group: &[f32], limit: f32) -> u16 {
    let largest = group.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    let error = |step: u16| -> f32 {
        let real = f32::from_bits(u32::from(step) << 16);
        group.iter().map(|&n| (n - f32::from(quantize(n, real, limit)) * real).powi(2)).sum()
    };
    (12..=20)
        .map(|twentieths| bf16(largest / limit * twentieths as f32 / 20.0))
        .min_by(|&a, &b| error(a).total_cmp(&error(b)))
        .unwrap_or_default()
}

fn quantize(number: f32, step: f32, limit: f32) -> i16 {
    if step == 0.0 { 0 } else { (number / step).round_ties_even().clamp(-limit, limit) as i16 }
}

/// Each number of a row to the nearest integer times the step, at most `limit` from 0.
pub fn nearest(row: &[f32], step: f32, limit: f32) -> Vec<i16> {
    row.iter().map(|&number| quantize(number, step, limit)).collect()
}

/// Writes a matrix as [`Encoding::Coded`], each row with a step of its own, in units of the
/// row's root mean square, and rounded in some way, as by [`nearest`]. A step of 0 drops the row:
/// it reads back as zeros.
///
/// # Errors
/// When a step is not between 0 and 4, there are more than 255 different ones, or there are not
/// as many as rows.
pub fn encode_rows(
    columns: usize,
    steps: &[f32],
    numbers: &[f32],
    round: impl Fn(&[f32], f32, f32) -> Vec<i16>,
) -> Result<Vec<u8>, String> {
    if steps.len() * columns != numbers.len() || columns == 0 {
        return Err(format!("expected a step a row of {columns}, found {}", steps.len()));
    }
    let mut classes: Vec<f32> = steps.to_vec();
    classes.sort_by(f32::total_cmp);
    classes.dedup();
    let legal = classes.first() >= Some(&0.0) && classes.last() < Some(&4.0);
    if !legal || classes.len() > 255 {
        return Err(format!(
            "expected at most 255 different steps between 0 and 4 root mean squares, found {}",
            classes.len()
        ));
    }
    let limit = f32::from(coder::LIMIT);
    let mut rows = Vec::with_capacity(steps.len());
    let mut coded = Vec::with_capacity(numbers.len());
    for (row, &step) in numbers.chunks_exact(columns).zip(steps) {
        let rms = (row.iter().map(|n| n * n).sum::<f32>() / columns as f32).sqrt();
        let largest = row.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let stored = bf16((rms * step).max(largest / limit));
        rows.push((classes.partition_point(|&class| class < step), stored));
        let real = f32::from_bits(u32::from(stored) << 16);
        coded.extend(round(row, real, limit));
    }
    write_coded(columns, classes.len(), &rows, &coded, classes.first() == Some(&0.0))
}

/// Lays out tables, rows (table and step of each) and their streams. With `drop_first` rows of
/// the first table get no stream.
fn write_coded(
    columns: usize,
    tables: usize,
    rows: &[(usize, u16)],
    integers: &[i16],
    drop_first: bool,
) -> Result<Vec<u8>, String> {
    let of_table = |table: usize| {
        let rows = rows.iter().zip(integers.chunks_exact(columns));
        rows.filter(move |(row, _)| row.0 == table).flat_map(|(_, integers)| integers)
    };
    let tables: Vec<_> = (0..tables).map(|table| coder::Table::fit(of_table(table))).collect();
    let mut streams = Vec::new();
    let mut lengths = Vec::new();
    for ((table, _), row) in rows.iter().zip(integers.chunks_exact(columns)) {
        let dropped = drop_first && *table == 0;
        let stream = if dropped { Vec::new() } else { tables[*table].encode(row) };
        let length = u16::try_from(stream.len())
            .map_err(|_| format!("expected rows of at most 65535 bytes, found {}", stream.len()))?;
        lengths.extend_from_slice(&length.to_le_bytes());
        streams.extend_from_slice(&stream);
    }
    let mut bytes = (tables.len() as u16).to_le_bytes().to_vec();
    bytes.extend(tables.iter().flat_map(coder::Table::bytes));
    bytes.extend(rows.iter().map(|(table, _)| *table as u8));
    bytes.extend(rows.iter().flat_map(|(_, step)| step.to_le_bytes()));
    bytes.extend_from_slice(&lengths);
    bytes.extend_from_slice(&streams);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers that look like weights: a bell with an outlier here and there.
    fn numbers(count: usize) -> Vec<f32> {
        let mut state = 1_u32;
        let mut uniform = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..count)
            .map(|at| {
                let bell: f32 = (0..6).map(|_| uniform()).sum();
                bell * if at % 97 == 0 { 0.5 } else { 0.1 }
            })
            .collect()
    }

    /// Root mean square error in units of the numbers' own root mean square, and bytes.
    fn check(encoding: Encoding, most_error: f32, most_bytes: usize) {
        let numbers = numbers(64 * 128);
        let bytes = encode_matrix([64, 128], encoding, &numbers).expect("encodes");
        assert!(bytes.len() <= most_bytes, "{encoding:?}: {} bytes", bytes.len());
        let back = Matrix::new([64, 128], encoding, &bytes).expect("reads").to_vec();
        let power: f32 = numbers.iter().map(|n| n * n).sum();
        let error: f32 = numbers.iter().zip(&back).map(|(a, b)| (a - b) * (a - b)).sum();
        let relative = (error / power).sqrt();
        assert!(relative <= most_error, "{encoding:?}: error {relative}");
    }

    #[test]
    fn keeps_what_it_promises() {
        check(Encoding::F32, 0.0, 64 * 128 * 4);
        check(Encoding::Int { bits: 8, group: 128 }, 0.02, 64 * 128 + 128);
        check(Encoding::Int { bits: 8, group: 64 }, 0.02, 64 * 128 + 256);
        check(Encoding::Int { bits: 4, group: 32 }, 0.14, 64 * 64 + 512);
        check(Encoding::Coded { step: 0.1 }, 0.031, 64 * 128 * 6 / 8 + 1024);
        check(Encoding::Coded { step: 0.3 }, 0.09, 64 * 128 * 4 / 8 + 1024);
    }

    #[test]
    fn rows_of_zeros_stay_zero() {
        for encoding in [Encoding::Int { bits: 4, group: 2 }, Encoding::Coded { step: 0.2 }] {
            let bytes = encode_matrix([2, 4], encoding, &[0.0; 8]).expect("encodes");
            let back = Matrix::new([2, 4], encoding, &bytes).expect("reads").to_vec();
            assert_eq!(back, [0.0; 8], "{encoding:?}");
        }
    }

    #[test]
    fn rows_may_differ_in_step_and_be_dropped() {
        let numbers = numbers(3 * 256);
        let bytes = encode_rows(256, &[0.5, 0.0, 0.01], &numbers, nearest).expect("encodes");
        let back = Matrix::new([3, 256], Encoding::Coded { step: 0.1 }, &bytes).expect("reads");
        let back = back.to_vec();
        let error = |row: usize| -> f32 {
            let range = row * 256..(row + 1) * 256;
            numbers[range.clone()].iter().zip(&back[range]).map(|(a, b)| (a - b).abs()).sum()
        };
        assert!(error(2) * 20.0 < error(0), "{} and {}", error(0), error(2));
        assert_eq!(back[256..512], [0.0; 256]);
    }

    #[test]
    fn rows_are_the_same_one_by_one_and_all_in_turn() {
        for steps in [&[0.5, 0.0, 0.01][..], &[0.5, 0.01, 0.0, 0.5], &[0.01, 0.5, 0.5], &[0.1]] {
            let bytes = encode_rows(16, steps, &numbers(steps.len() * 16), nearest);
            let (bytes, encoding) = (bytes.expect("encodes"), Encoding::Coded { step: 0.1 });
            let matrix = Matrix::new([steps.len(), 16], encoding, &bytes).expect("reads");
            let mut turn = Vec::new();
            matrix.each_row(|row, step| turn.extend(row.iter().map(|n| f32::from(*n) * step)));
            assert_eq!(turn, matrix.to_vec(), "{steps:?}");
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let refused = [
            encode_matrix([1, 2], Encoding::F32, &[1.0]),
            encode_matrix([1, 2], Encoding::F32, &[1.0, f32::NAN]),
            encode_matrix([1, 2], Encoding::Int { bits: 3, group: 2 }, &[1.0; 2]),
            encode_matrix([1, 6], Encoding::Int { bits: 8, group: 4 }, &[1.0; 6]),
            encode_matrix([1, 2], Encoding::Coded { step: -0.1 }, &[1.0; 2]),
            encode_matrix([1, 2], Encoding::Coded { step: f32::NAN }, &[1.0; 2]),
        ];
        assert!(refused.iter().all(Result::is_err), "{refused:?}");
    }

    proptest! {
        #[test]
        fn hostile_bytes_never_panic(
            noise in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..6),
            mut data in proptest::collection::vec(any::<u8>(), 0..1200),
            legal in any::<bool>(),
        ) {
            // A legal matrix with a few bytes changed gets past the first checks.
            if legal {
                data = encode_rows(8, &[0.1, 0.5], &numbers(16), nearest).expect("encodes");
                for (at, byte) in noise {
                    let at = at % data.len();
                    data[at] = byte;
                }
            }
            for encoding in [
                Encoding::F32,
                Encoding::Int { bits: 4, group: 2 },
                Encoding::Int { bits: 8, group: 0 },
                Encoding::Coded { step: 1.0 },
            ] {
                if let Ok(matrix) = Matrix::new([2, 8], encoding, &data) {
                    prop_assert_eq!(matrix.to_vec().len(), 16);
                }
            }
        }
    }
}
