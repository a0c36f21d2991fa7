//! Virtual scrolling: computes which rows of a long list to render.

use std::ops::Range;

/// Rows rendered beyond each edge of the window.
const BEYOND: usize = 8;

/// A scrolled list of rows of equal height; lengths in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rows {
    /// Number of rows.
    pub count: usize,
    /// Height of a row.
    pub height: f64,
    /// Scroll offset.
    pub top: f64,
    /// Height of the window.
    pub window: f64,
}

impl Rows {
    /// The rows to render: the visible ones and some beyond each edge.
    pub fn shown(self) -> Range<usize> {
        let sight = self.in_sight();
        let start = sight.start.saturating_sub(BEYOND);
        start..sight.end.saturating_add(BEYOND).min(self.count)
    }

    /// The rows that are at least partly visible.
    pub fn in_sight(self) -> Range<usize> {
        // Float casts saturate, so any value from the browser gives a row number.
        let first = (self.top.max(0.0) / self.height()).floor() as usize;
        let end = ((self.top.max(0.0) + self.window.max(0.0)) / self.height()).ceil() as usize;
        first.min(self.count)..end.min(self.count)
    }

    /// The height of the rows before and after the rendered ones.
    pub fn space(self) -> (f64, f64) {
        let shown = self.shown();
        (shown.start as f64 * self.height(), (self.count - shown.end) as f64 * self.height())
    }

    /// The scroll offset that makes a row fully visible with the least movement.
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
    fn a_long_list_renders_a_screenful_at_any_offset() {
        for top in [0.0, 1.0, 29.0, 150_000.0, 299_400.0, 1e12, -5.0] {
            let rows = rows(top);
            let shown = rows.shown();
            assert!(shown.len() <= 21 + 2 * BEYOND, "{top}: {shown:?}");
            assert!(shown.end <= rows.count);
            let (before, behind) = rows.space();
            let all = before + behind + shown.len() as f64 * 30.0;
            assert!((all - 300_000.0).abs() < 1e-6, "the total height is constant at {top}");
        }
        assert_eq!(rows(0.0).shown(), 0..28);
        assert_eq!(rows(299_400.0).shown(), 9_972..10_000);
        assert_eq!(Rows { count: 0, ..rows(0.0) }.shown(), 0..0);
        assert_eq!(Rows { count: 3, height: 0.0, ..rows(0.0) }.shown(), 0..3);
    }

    #[test]
    fn revealing_a_row_scrolls_as_little_as_possible() {
        assert_eq!(rows(0.0).reveal(5), 0.0);
        assert_eq!(rows(0.0).reveal(20), 30.0);
        assert_eq!(rows(3000.0).reveal(99), 2970.0);
    }
}
