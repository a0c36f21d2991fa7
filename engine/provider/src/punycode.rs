//! Punycode (RFC 3492) for internationalized hosts. Encodes only: hosts are displayed and sent in
//! this form. A library would add the Unicode tables to the page's first download.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const FIRST_BIAS: u32 = 72;
const FIRST_CODE: u32 = 128;

/// A label in punycode, without the `xn--` prefix; `None` on 32-bit overflow.
pub(super) fn encode(label: &str) -> Option<String> {
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    if basic > 0 {
        out.push('-');
    }
    let length = u32::try_from(label.chars().count()).ok()?;
    let (mut code, mut delta, mut bias, mut done) = (FIRST_CODE, 0_u32, FIRST_BIAS, basic);
    while done < length {
        let next = label.chars().map(u32::from).filter(|c| *c >= code).min()?;
        delta = delta.checked_add((next - code).checked_mul(done + 1)?)?;
        for c in label.chars().map(u32::from) {
            if c < next {
                delta = delta.checked_add(1)?;
            }
            if c == next {
                push_number(&mut out, delta, bias);
                bias = adapted(delta, done + 1, done == basic);
                (delta, done) = (0, done + 1);
            }
        }
        delta = delta.checked_add(1)?;
        code = next + 1;
    }
    Some(out)
}

/// Appends a variable-length integer, least significant digit first.
fn push_number(out: &mut String, mut number: u32, bias: u32) {
    let mut k = BASE;
    loop {
        let threshold = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if number < threshold {
            return out.push(digit(number));
        }
        out.push(digit(threshold + (number - threshold) % (BASE - threshold)));
        number = (number - threshold) / (BASE - threshold);
        k += BASE;
    }
}

/// `a` to `z` for 0 to 25, `0` to `9` for 26 to 35.
fn digit(value: u32) -> char {
    char::from_digit((value + 10) % BASE, BASE).unwrap_or('a')
}

/// Bias adaptation, section 6.1.
fn adapted(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = delta / if is_first { DAMP } else { 2 };
    delta += delta / count;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_of_the_rfc_are_encoded() {
        for (label, expected) in [
            ("bücher", "bcher-kva"),
            // Section 7.1: Arabic, Chinese, Czech, Vietnamese, Japanese.
            ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
            ("TạisaohọkhôngthểchỉnóitiếngViệt", "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"),
            ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
            ("そのスピードで", "d9juau41awczczp"),
        ] {
            assert_eq!(encode(label).as_deref(), Some(expected));
        }
    }
}
