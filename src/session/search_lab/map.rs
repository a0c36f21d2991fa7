//! Lays out the map of tools: places, marks by domain, the legend.

use crate::messages::search_lab::LabPoint;

/// The size of the picture, in its own units.
pub const WIDTH: f64 = 720.0;
/// As [`WIDTH`].
pub const HEIGHT: f64 = 440.0;
/// The free space around the points.
const MARGIN: f64 = 24.0;
/// The height of a line of text, and the width of a letter.
const LINE: f64 = 20.0;
const LETTER: f64 = 9.0;
/// The most points that have a name of their own.
const MOST_NAMED: usize = 1_000;

/// How a domain's points look: a tone of the palette and a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The class, which has the colour.
    pub class: &'static str,
    /// The path around the origin.
    pub shape: &'static str,
}

const CIRCLE: &str = "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z";
const SQUARE: &str = "M-4-4h8v8h-8z";

/// Five tones by two shapes: neighbours in the legend differ in colour.
pub const MARKS: [Mark; 10] = [
    Mark { class: "lab-point lab-accent", shape: CIRCLE },
    Mark { class: "lab-point lab-right", shape: CIRCLE },
    Mark { class: "lab-point lab-warn", shape: CIRCLE },
    Mark { class: "lab-point lab-wrong", shape: CIRCLE },
    Mark { class: "lab-point lab-text", shape: CIRCLE },
    Mark { class: "lab-point lab-accent", shape: SQUARE },
    Mark { class: "lab-point lab-right", shape: SQUARE },
    Mark { class: "lab-point lab-warn", shape: SQUARE },
    Mark { class: "lab-point lab-wrong", shape: SQUARE },
    Mark { class: "lab-point lab-text", shape: SQUARE },
];

/// A point that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The tool's name.
    pub name: String,
    /// Its domain or origin.
    pub group: String,
    /// Its place in the picture.
    pub x: f64,
    /// As `x`.
    pub y: f64,
    /// Its mark.
    pub mark: Mark,
}

/// The picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Tools with names, by group.
    pub points: Vec<Placed>,
    /// The path of all other tools, as dots.
    pub others: String,
    /// The number of other tools.
    pub unnamed: usize,
    /// The groups with their marks.
    pub legend: Vec<(String, Mark)>,
    low: [f64; 2],
    scale: f64,
    shift: [f64; 2],
}

impl Layout {
    /// Fits points into the picture; both axes have one scale.
    pub fn new(all: &[LabPoint]) -> Self {
        let ends = |axis: usize| {
            let values = all.iter().map(|point| point.at[axis]);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
                (low.min(it), high.max(it))
            })
        };
        let (across, along) = (ends(0), ends(1));
        let room = [WIDTH - 2.0 * MARGIN, HEIGHT - 2.0 * MARGIN];
        let spans = [across.1 - across.0, along.1 - along.0];
        let fits = |axis: usize| room[axis] / spans[axis].max(1e-9);
        let scale = fits(0).min(fits(1));
        let shift = |axis: usize| MARGIN + (room[axis] - spans[axis] * scale) / 2.0;
        let mut layout = Layout {
            points: Vec::new(),
            others: String::new(),
            unnamed: 0,
            legend: Vec::new(),
            low: [across.0, along.0],
            scale,
            shift: [shift(0), shift(1)],
        };
        let mut named: Vec<&LabPoint> = all.iter().filter(|point| point.is_named).collect();
        let rest = named.split_off(named.len().min(MOST_NAMED));
        for point in named {
            let mark = layout.mark(&point.group);
            let [x, y] = layout.place(point.at);
            let (name, group) = (point.name.clone(), point.group.clone());
            layout.points.push(Placed { name, group, x, y, mark });
        }
        // Stable: the arrow keys walk through one group after the other.
        let groups: Vec<String> = layout.legend.iter().map(|(group, _)| group.clone()).collect();
        layout.points.sort_by_key(|point| groups.iter().position(|group| *group == point.group));
        for point in all.iter().filter(|point| !point.is_named).chain(rest) {
            let [x, y] = layout.place(point.at);
            layout.others.push_str(&format!("M{x:.1} {y:.1}h0"));
            layout.unnamed += 1;
        }
        layout
    }

    fn mark(&mut self, group: &str) -> Mark {
        if let Some((_, mark)) = self.legend.iter().find(|(it, _)| it == group) {
            return *mark;
        }
        // After ten groups, marks repeat.
        let mark = MARKS[self.legend.len() % MARKS.len()];
        self.legend.push((group.to_owned(), mark));
        mark
    }

    /// The place of coordinates in the picture; those beyond its edge are moved to it.
    pub fn place(&self, at: [f64; 2]) -> [f64; 2] {
        let place = |axis: usize| (at[axis] - self.low[axis]) * self.scale + self.shift[axis];
        let within = |value: f64, most: f64| value.clamp(MARGIN / 2.0, most - MARGIN / 2.0);
        [within(place(0), WIDTH), within(place(1), HEIGHT)]
    }
}

/// A name beside a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// The name.
    pub text: String,
    /// Where it starts, or ends.
    pub x: f64,
    /// Its baseline.
    pub y: f64,
    /// `start` or `end`.
    pub anchor: &'static str,
}

impl Label {
    /// Left and right edge, estimated: fonts differ.
    fn edges(&self) -> [f64; 2] {
        let width = LETTER * self.text.chars().count() as f64;
        if self.anchor == "end" { [self.x - width, self.x] } else { [self.x, self.x + width] }
    }

    fn overlaps(&self, other: &Label) -> bool {
        let ([left, right], [from, to]) = (self.edges(), other.edges());
        (self.y - other.y).abs() < LINE && left < to && from < right
    }
}

/// Places names beside their points, on the side that has room, so that they don't overlap: a name
/// that would is moved to the nearest free line.
pub fn labels(points: &[(&str, f64, f64)]) -> Vec<Label> {
    let mut placed: Vec<Label> = Vec::new();
    for (text, x, y) in points {
        let is_left = *x < WIDTH * 0.6;
        let (x, anchor) = if is_left { (x + 9.0, "start") } else { (x - 9.0, "end") };
        let label = |y: f64| Label { text: (*text).to_owned(), x, y, anchor };
        let first = y + 4.0;
        // Nearest first: below, above, two lines below, and so on.
        let lines = (0..=2 * points.len()).map(|step| {
            let lines = step.div_ceil(2) as f64 * LINE;
            if step % 2 == 1 { first + lines } else { first - lines }
        });
        let mut free = lines.map(label).filter(|label| {
            (LINE..HEIGHT - 2.0).contains(&label.y)
                && placed.iter().all(|other| !label.overlaps(other))
        });
        let found = free.next().unwrap_or_else(|| label(first));
        placed.push(found);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str, group: &str, is_named: bool, at: [f64; 2]) -> LabPoint {
        LabPoint { name: name.to_owned(), group: group.to_owned(), is_named, at }
    }

    #[test]
    fn points_fill_the_picture_without_distortion() {
        let all = [
            point("a", "One", true, [-1.0, 0.0]),
            point("b", "Two", true, [1.0, 0.5]),
            point("c", "One", true, [0.0, 0.0]),
            point("d", "Far", false, [0.0, 0.5]),
        ];
        let layout = Layout::new(&all);
        let names: Vec<&str> = layout.points.iter().map(|point| point.name.as_str()).collect();
        assert_eq!(names, ["a", "c", "b"], "by group");
        assert_eq!((layout.points[0].x, layout.points[2].x), (MARGIN, WIDTH - MARGIN));
        let scale = (WIDTH - 2.0 * MARGIN) / 2.0;
        let height = layout.points[2].y - layout.points[0].y;
        assert!((height - 0.5 * scale).abs() < 1e-9, "one scale: {height}");
        assert_eq!((layout.unnamed, layout.legend.len()), (1, 2));
        assert!(layout.others.starts_with('M'), "{}", layout.others);
        assert_ne!(layout.points[0].mark, layout.points[2].mark);
        let far = layout.place([9.0, -9.0]);
        assert_eq!(far, [WIDTH - MARGIN / 2.0, MARGIN / 2.0]);
    }

    #[test]
    fn names_do_not_overlap_and_stay_in_the_picture() {
        let points =
            [("AddAlarm", 300.0, 436.0), ("ModifyAlarm", 320.0, 435.0), ("Far", 700.0, 9.0)];
        let all = labels(&[points, points, points].concat());
        for (at, label) in all.iter().enumerate() {
            let [left, right] = label.edges();
            assert!(left > 0.0 && right < WIDTH && label.y > 0.0 && label.y < HEIGHT, "{label:?}");
            assert!(all[..at].iter().all(|other| !label.overlaps(other)), "{all:?}");
        }
        assert_eq!(labels(&points[2..])[0].anchor, "end");
        assert_eq!(labels(&[("a", 10.0, 100.0)])[0].y, 104.0);
    }

    #[test]
    fn one_place_or_none_is_no_error() {
        let layout = Layout::new(&[point("a", "One", true, [0.3, 0.3])]);
        assert_eq!((layout.points[0].x, layout.points[0].y), (WIDTH / 2.0, HEIGHT / 2.0));
        assert!(Layout::new(&[]).points.is_empty());
        let many: Vec<LabPoint> = (0..1_500)
            .map(|at| point(&at.to_string(), "One", true, [f64::from(at), 0.0]))
            .collect();
        let layout = Layout::new(&many);
        assert_eq!((layout.points.len(), layout.unnamed), (1_000, 500));
    }
}
