//! Email addresses.

use crate::error::{ApiError, filled};

/// Trims and validates an address: no blanks, and one `@` between a mailbox and a domain of two or
/// more labels.
///
/// # Errors
/// If the text is empty or not an address.
pub fn address<'a>(parameter: &'static str, text: &'a str) -> Result<&'a str, ApiError> {
    let text = filled(parameter, text)?;
    let has_parts = text.split_once('@').is_some_and(|(mailbox, domain)| {
        !mailbox.is_empty()
            && !domain.contains('@')
            && domain.contains('.')
            && domain.split('.').all(|label| !label.is_empty())
    });
    if has_parts && !text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        Ok(text)
    } else {
        Err(ApiError::invalid(
            parameter,
            format!("expected an email address like ann@post.example, got {text:?}"),
        ))
    }
}

/// Whether two addresses are the same mailbox. Ignores case and outer blanks.
pub fn same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_addresses_and_nothing_else() {
        for text in [" ann@post.example ", "A.B+c@mail.sub.example", "jürgen@straße.example"] {
            assert_eq!(address("receiver", text), Ok(text.trim()));
        }
        for text in ["ann", "@post.example", "ann@post", "ann@.example", "a@b@c.example", "a b@c.d"]
        {
            let message = address("receiver", text).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        }
        assert_eq!(
            address("email", "\u{7}@post.example").unwrap_err(),
            ApiError::invalid(
                "email",
                "expected an email address like ann@post.example, got \"\\u{7}@post.example\""
            )
        );
        assert_eq!(address("email", " "), Err(ApiError::Empty { parameter: "email" }));
    }

    #[test]
    fn case_does_not_make_another_mailbox() {
        assert!(same("Ann@Post.example", " ann@post.example"));
        assert!(!same("ann@post.example", "anne@post.example"));
    }
}
