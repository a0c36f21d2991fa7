//! Which rows of a long list are in sight: only those are in the page.

use std::ops::Range;

/// Rows beyond the edges that are there before they come into sight.
const BEYOND: usize = 8;

/// A list of rows of the same height behind a window, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rows {
    /// How many there are.
    pub count: usize,
    /// The height of one.
    pub height: f64,
    /// How far the window is scrolled.
    pub top: f64,
    /// How high the window is.
    pub window: f64,
}

impl Rows {
    /// The rows to show: those in sight, and some beyond either edge.
    pub fn shown(self) -> Range<usize> {
        let sight = self.in_sight();
        let start = sight.start.saturating_sub(BEYOND);
        start..sight.end.saturating_add(BEYOND).min(self.count)
    }

    /// The rows of which something is in sight.
    pub fn in_sight(self) -> Range<usize> {
        // A cast saturates: whatever a browser says, it is a row number.
        let first = (self.top.max(0.0) / self.height()).floor() as usize;
        let end = ((self.top.max(0.0) + self.window.max(0.0)) / self.height()).ceil() as usize;
        first.min(self.count)..end.min(self.count)
    }

    /// The space of the rows before and behind those that are shown.
    pub fn space(self) -> (f64, f64) {
        let shown = self.shown();
        (shown.start as f64 * self.height(), (self.count - shown.end) as f64 * self.height())
    }

    /// Where the window has to be scrolled so that a row is wholly in sight.
    pub fn reveal(self, row: usize) -> f64 {
        let (start, end) = (row as f64 * self.height(), (row + 1) as f64 * self.height());
        if start < self.top {
            start
        } else if end > self.top + self.window {
            (end - self.window).max(0.0)
        } else {
            self.top
        }
    }

    fn height(self) -> f64 {
        self.height.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(top: f64) -> Rows {
        Rows { count: 10_000, height: 30.0, top, window: 600.0 }
    }

    #[test]
    fn a_long_list_shows_a_screenful_wherever_it_is_scrolled() {
        for top in [0.0, 1.0, 29.0, 150_000.0, 299_400.0, 1e12, -5.0] {
            let rows = rows(top);
            let shown = rows.shown();
            assert!(shown.len() <= 21 + 2 * BEYOND, "{top}: {shown:?}");
            assert!(shown.end <= rows.count);
            let (before, behind) = rows.space();
            let all = before + behind + shown.len() as f64 * 30.0;
            assert!((all - 300_000.0).abs() < 1e-6, "the bar is right at {top}");
        }
        assert_eq!(rows(0.0).shown(), 0..28);
        assert_eq!(rows(299_400.0).shown(), 9_972..10_000);
        assert_eq!(Rows { count: 0, ..rows(0.0) }.shown(), 0..0);
        assert_eq!(Rows { count: 3, height: 0.0, ..rows(0.0) }.shown(), 0..3);
    }

    #[test]
    fn the_window_moves_no_further_than_a_row_needs() {
        assert_eq!(rows(0.0).reveal(5), 0.0);
        assert_eq!(rows(0.0).reveal(20), 30.0);
        assert_eq!(rows(3000.0).reveal(99), 2970.0);
    }
}
