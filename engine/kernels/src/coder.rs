//! A range coder for rows of small integers: rANS with one table of frequencies for all rows.
//!
//! Asymmetric numeral systems (Duda 2013) in the form by words: a state of 32 bits, renewed by two
//! bytes at most once a symbol. A row costs its entropy plus four bytes. Decoding is total: a damaged
//! stream gives other integers, never a panic.
//!
//! A symbol is an integer from -127 to 127; the two ends mean "and more follows": 300 is 127,
//! 127, 46, and 127 itself is 127, 0. So a single outlier does not widen the steps of its row.

/// Symbols: an integer plus 128.
const SYMBOLS: usize = 256;
/// Frequencies add up to 2 to this power.
const PRECISION: u32 = 14;
/// Bits by which the state is renewed.
const WORD: u32 = 16;
/// The state stays at or above this between symbols.
const LOWEST: u32 = 1 << WORD;

/// Largest integer, both ways.
pub const LIMIT: i16 = 20_000;
/// Where an integer goes on with another symbol.
const END: i16 = 127;

/// Bytes of a table in a file: a u16 for each symbol from -128 on.
pub const TABLE_BYTES: usize = SYMBOLS * 2;

/// Frequencies of the symbols, with what decoding needs.
#[derive(Debug, Clone)]
pub struct Table {
    frequency: [u16; SYMBOLS],
    start: [u16; SYMBOLS],
    /// The symbol at each point of the cumulative distribution.
    symbol_at: Vec<u8>,
}

impl Table {
    fn new(frequency: [u16; SYMBOLS]) -> Result<Self, String> {
        let mut start = [0; SYMBOLS];
        let mut symbol_at = Vec::with_capacity(1 << PRECISION);
        for (symbol, &count) in frequency.iter().enumerate() {
            start[symbol] = symbol_at.len() as u16;
            let end = symbol_at.len() + usize::from(count);
            if end > 1 << PRECISION {
                break;
            }
            symbol_at.resize(end, symbol as u8);
        }
        let total: u32 = frequency.iter().map(|&count| u32::from(count)).sum();
        if total != 1 << PRECISION {
            return Err(format!(
                "expected frequencies that add up to {}, found {total}",
                1 << PRECISION
            ));
        }
        Ok(Self { frequency, start, symbol_at })
    }

    /// Reads a table of [`TABLE_BYTES`] bytes.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut frequency = [0; SYMBOLS];
        for (frequency, bytes) in frequency.iter_mut().zip(bytes.as_chunks::<2>().0) {
            *frequency = u16::from_le_bytes(*bytes);
        }
        Self::new(frequency)
    }

    /// The table as it stands in a file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.frequency.iter().flat_map(|frequency| frequency.to_le_bytes()).collect()
    }

    /// Decodes as many integers as `out` holds.
    pub fn decode(&self, stream: &[u8], out: &mut [i16]) {
        let mut stream = Stream::new(stream);
        out.iter_mut().for_each(|out| *out = stream.next(self));
    }

    /// Decodes as many integers as both `out` hold, of a stream each. A symbol waits for the one before
    /// it; those of the other stream fill the time, so that this takes two thirds of two
    /// [`decode`](Self::decode)s.
    pub fn decode_two(streams: [(&Self, &[u8]); 2], out: [&mut [i16]; 2]) {
        let [(table_a, a), (table_b, b)] = streams;
        let (mut a, mut b) = (Stream::new(a), Stream::new(b));
        let [out_a, out_b] = out;
        for (out_a, out_b) in out_a.iter_mut().zip(out_b) {
            *out_a = a.next(table_a);
            *out_b = b.next(table_b);
        }
    }
}

/// A row on its way out of its coding.
struct Stream<'a> {
    state: u32,
    words: std::slice::Iter<'a, [u8; 2]>,
}

impl<'a> Stream<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut stream = Stream { state: 0, words: bytes.as_chunks().0.iter() };
        stream.state = stream.word() << WORD | stream.word();
        stream
    }

    /// The next two bytes; zeros past the end.
    #[inline(always)]
    fn word(&mut self) -> u32 {
        self.words.next().map_or(0, |word| u32::from(u16::from_le_bytes(*word)))
    }

    #[inline(always)]
    fn next(&mut self, table: &Table) -> i16 {
        let mut integer = 0_i16;
        loop {
            let point = self.state & ((1 << PRECISION) - 1);
            let symbol = usize::from(table.symbol_at[point as usize]);
            // A damaged state wraps around.
            self.state = u32::from(table.frequency[symbol])
                .wrapping_mul(self.state >> PRECISION)
                .wrapping_add(point.wrapping_sub(u32::from(table.start[symbol])));
            if self.state < LOWEST {
                self.state = self.state << WORD | self.word();
            }
            let part = symbol as i16 - 128;
            integer += part;
            // The limit ends what a damaged stream would go on with for ever.
            if part.abs() != END || integer.abs() > LIMIT {
                return integer;
            }
        }
    }
}

/// The parts of an integer as symbols, [`END`] for as long as there is more.
fn symbols(integer: i16) -> impl DoubleEndedIterator<Item = usize> {
    let sign = integer.signum();
    let more = usize::try_from(integer.abs() / END).unwrap_or_default();
    let parts = std::iter::repeat_n(sign * END, more).chain([integer % END]);
    parts.map(|part| usize::try_from(part + 128).unwrap_or_default())
}

/// Writing, needed where weights are made.
impl Table {
    /// The table that suits these integers: their counts scaled, every one that occurs kept.
    pub fn fit<'a>(integers: impl IntoIterator<Item = &'a i16>) -> Self {
        let mut counts = [0_u64; SYMBOLS];
        for symbol in integers.into_iter().flat_map(|&integer| symbols(integer)) {
            counts[symbol] += 1;
        }
        let total = counts.iter().sum::<u64>().max(1);
        let mut frequency = counts.map(|count| {
            let scaled = (count << PRECISION) / total;
            u16::try_from(scaled.max(u64::from(count > 0))).unwrap_or(u16::MAX)
        });
        // Rounding leaves a difference: the most frequent symbol takes it, being hurt least.
        let sum: i32 = frequency.iter().map(|&count| i32::from(count)).sum();
        let most = (0..SYMBOLS).max_by_key(|&symbol| frequency[symbol]).unwrap_or(128);
        let mended = i32::from(frequency[most]) + (1 << PRECISION) - sum;
        frequency[most] = u16::try_from(mended).unwrap_or(1);
        Self::new(frequency).unwrap_or_else(|_| Self::only_zero())
    }

    /// The table in which everything is 0.
    fn only_zero() -> Self {
        let mut frequency = [0; SYMBOLS];
        frequency[128] = 1 << PRECISION;
        Self { frequency, start: [0; SYMBOLS], symbol_at: vec![128; 1 << PRECISION] }
    }

    /// The stream of one row. All its integers must have been in what the table was fit to.
    pub fn encode(&self, row: &[i16]) -> Vec<u8> {
        let mut state = LOWEST;
        let mut backwards = Vec::with_capacity(row.len());
        for symbol in row.iter().rev().flat_map(|&integer| symbols(integer).rev()) {
            let frequency = u32::from(self.frequency[symbol]).max(1);
            // In 64 bits: a symbol that is alone in its table has a limit of 2^32.
            if u64::from(state) >= u64::from(frequency) << (2 * WORD - PRECISION) {
                backwards.push(state as u16);
                state >>= WORD;
            }
            state = ((state / frequency) << PRECISION)
                + state % frequency
                + u32::from(self.start[symbol]);
        }
        backwards.extend([state as u16, (state >> WORD) as u16]);
        backwards.iter().rev().flat_map(|word| word.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(table: &Table, stream: &[u8], count: usize) -> Vec<i16> {
        let mut out = vec![0; count];
        table.decode(stream, &mut out);
        out
    }

    #[test]
    fn a_row_costs_its_entropy() {
        let row: Vec<i16> = (0..1024).map(|at| if at % 4 == 0 { 1 } else { 0 }).collect();
        let table = Table::fit(&row);
        let stream = table.encode(&row);
        // The entropy of 1/4 is 0.811 bits, 1024 of them take 104 bytes.
        assert!((104..=109).contains(&stream.len()), "{}", stream.len());
        assert_eq!(back(&table, &stream, row.len()), row);
    }

    #[test]
    fn outliers_take_several_symbols() {
        let row = [0, 127, -127, 128, 300, -LIMIT, LIMIT, 1];
        let table = Table::fit(&row);
        assert_eq!(back(&table, &table.encode(&row), row.len()), row);
    }

    #[test]
    fn refuses_tables_that_do_not_add_up() {
        assert!(Table::read(&[0; TABLE_BYTES]).is_err());
        assert!(Table::read(&[255; TABLE_BYTES]).is_err());
        assert!(Table::read(&[]).is_err());
    }

    #[test]
    fn two_rows_at_a_time_are_the_same() {
        let rows = [[0, 5, -300, 7], [1, 1, 127, -1]];
        let tables = rows.each_ref().map(Table::fit);
        let streams = [tables[0].encode(&rows[0]), tables[1].encode(&rows[1])];
        let mut out = [[0; 4]; 2];
        let [a, b] = &mut out;
        Table::decode_two([(&tables[0], &streams[0]), (&tables[1], &streams[1])], [a, b]);
        assert_eq!(out, rows);
    }

    proptest! {
        #[test]
        fn what_is_encoded_comes_back(row in proptest::collection::vec(-900_i16..900, 0..400)) {
            let table = Table::read(&Table::fit(&row).bytes()).expect("legal table");
            prop_assert_eq!(back(&table, &table.encode(&row), row.len()), row);
        }

        #[test]
        fn damaged_streams_end(row in proptest::collection::vec(-127_i16..=127, 1..50),
                               stream in proptest::collection::vec(any::<u8>(), 0..60)) {
            prop_assert_eq!(back(&Table::fit(&row), &stream, 100).len(), 100);
        }
    }
}
