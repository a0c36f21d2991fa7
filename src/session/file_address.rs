//! The address of a model file, as a user enters it.

use crate::t;
use crate::texts::Texts;
use provider::Origin;

/// The address of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAddress {
    /// The address.
    pub url: String,
    /// Whose it is.
    pub origin: Origin,
    /// The file's name.
    pub name: String,
}

impl FileAddress {
    /// Reads an address: of `https`, or of this machine.
    ///
    /// # Errors
    /// What to enter instead.
    pub fn read(text: &str, texts: Texts) -> Result<Self, String> {
        let url = text.trim();
        let found = Origin::split(url).ok().filter(|(origin, _)| !origin.is_exposed());
        let Some((origin, rest)) = found else {
            return Err(t!(texts, "Enter an https:// URL, or http:// for this machine.").to_owned());
        };
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let name = path.rsplit('/').next().filter(|name| !name.is_empty());
        let name = name.unwrap_or("model.gguf").to_owned();
        Ok(FileAddress { url: url.to_owned(), origin, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_host_and_file() {
        let read = |text| FileAddress::read(text, Texts::ENGLISH);
        let found = read(" https://models.example/a/tiny-q4.gguf?download=true ").unwrap();
        assert_eq!((found.origin.host(), found.name.as_str()), ("models.example", "tiny-q4.gguf"));
        assert_eq!(found.url, "https://models.example/a/tiny-q4.gguf?download=true");
        assert_eq!(read("https://models.example").unwrap().name, "model.gguf");
        assert!(read("http://127.0.0.1:8000/m.gguf").is_ok());
        let wrong = ["", "m.gguf", "ftp://h/m.gguf", "http://models.example/m.gguf", "file:///m"];
        for text in wrong.into_iter().chain(["http://localhost.models.example/m.gguf"]) {
            assert!(read(text).unwrap_err().contains("https://"), "{text}");
        }
    }
}
