//! Embeddings as text in a journal: int8 components in hexadecimal.

/// Encodes a quantized vector.
pub fn encode(coded: &[i8]) -> String {
    let bytes: Vec<u8> = coded.iter().map(|byte| byte.cast_unsigned()).collect();
    apis::store::hex(&bytes)
}

/// Decodes a quantized vector; `None` for text that is not hexadecimal.
pub fn decode(text: &str) -> Option<Vec<i8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4 | digit(pair[1])?).cast_signed());
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

/// Normalizes a quantized vector to length 1.
pub fn unit(coded: &[i8]) -> Vec<f32> {
    let length = coded.iter().map(|x| f32::from(*x) * f32::from(*x)).sum::<f32>().sqrt();
    coded.iter().map(|x| if length > 0.0 { f32::from(*x) / length } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_survive_and_damaged_text_is_refused() {
        let vector = [0, 1, -1, 127, -127];
        assert_eq!(decode(&encode(&vector)), Some(vector.to_vec()));
        for damaged in ["0", "0g", "00é"] {
            assert_eq!(decode(damaged), None, "{damaged}");
        }
        assert_eq!(unit(&[0, 3, -4]), [0.0, 0.6, -0.8]);
    }
}
