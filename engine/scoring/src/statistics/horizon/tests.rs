//! Tests of the fit, the ratio and the staircase.

use super::*;

const LEVELS: [u16; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/// Eight tasks a level, completed up to `longest`; `mixed` of them at the next level.
fn grid(longest: u16, mixed: u16) -> Vec<Attempt> {
    let next = LEVELS.iter().copied().find(|level| *level > longest).unwrap_or(0);
    let completed = |calls, task| calls <= longest || (calls == next && task < mixed);
    let tasks = |calls| (0..8).map(move |task| Attempt::once(calls, completed(calls, task)));
    LEVELS.into_iter().flat_map(tasks).collect()
}

#[test]
fn the_curve_passes_the_horizon_and_the_80_percent_horizon() {
    let got = fit(&grid(8, 4)).unwrap();
    assert!(got.horizon > 10.0 && got.horizon < 14.0, "{got:?}");
    assert!(got.low < got.horizon && got.horizon < got.high && got.eighty < got.horizon);
    assert!((curve(&got, got.horizon) - 0.5).abs() < 1e-12);
    assert!((curve(&got, got.eighty) - 0.8).abs() < 1e-12);
    assert_eq!(got.bound, None);
    assert_eq!(got.points.len(), 16);
}

#[test]
fn horizons_outside_the_lengths_are_bounds() {
    assert_eq!(fit(&[]), None);
    assert_eq!(fit(&[Attempt { calls: 4, completed: 0, trials: 0 }]), None);
    assert_eq!(fit(&grid(256, 0)).unwrap().bound, Some(Bound::AtLeast(256.0)));
    assert_eq!(fit(&grid(0, 0)).unwrap().bound, Some(Bound::Below(1.0)));
    // One task says little: the bound is the end of the interval.
    let Some(Bound::AtLeast(low)) = fit(&[Attempt::once(8, true)]).unwrap().bound else { panic!() };
    assert!(low < 8.0, "{low}");
    let Some(Bound::Below(high)) = fit(&[Attempt::once(8, false)]).unwrap().bound else { panic!() };
    assert!(high > 8.0, "{high}");
}

#[test]
fn trials_do_not_narrow_the_interval() {
    let once = grid(8, 4);
    let thrice: Vec<_> =
        once.iter().map(|it| Attempt { completed: 3 * it.completed, trials: 3, ..*it }).collect();
    assert_eq!(fit(&once), fit(&thrice));
    assert_eq!(fit(&once), Staircase::new(&LEVELS, f64::from, 40).fit(&thrice));
    let trials = [("a", 4, true), ("b", 8, false), ("a", 4, false), ("a", 4, true)];
    let tasks = Attempt::group(trials);
    assert_eq!(tasks, [Attempt { calls: 4, completed: 2, trials: 3 }, Attempt::once(8, false)]);
}

#[test]
fn the_order_of_tasks_changes_no_bit() {
    let thirds = |(index, task): (usize, &Attempt)| {
        let completed = if task.completed == 1 { 3 } else { u16::from(index.is_multiple_of(5)) };
        Attempt { completed, trials: 3 + u16::from(index.is_multiple_of(2)), ..*task }
    };
    let one: Vec<Attempt> = grid(12, 3).iter().enumerate().map(thirds).collect();
    let mut other = one.clone();
    other.reverse();
    other.rotate_left(37);
    assert_eq!(fit(&one), fit(&other));
    assert_eq!(ratio(&one, &grid(3, 2)), ratio(&other, &grid(3, 2)));
    let (some, mut turned) = (one[60..68].to_vec(), one[60..68].to_vec());
    turned.reverse();
    let level = |tasks: &[Attempt]| next_level(tasks, &LEVELS, f64::from, 40);
    assert!(level(&some).is_some());
    assert_eq!(level(&some), level(&turned));
}

#[test]
fn every_processor_computes_these_bits() {
    let got = fit(&grid(12, 5)).unwrap();
    let bits = [got.horizon, got.low, got.high, got.eighty, got.slope].map(f64::to_bits);
    assert_eq!(bits.map(|it| format!("{it:016x}")), PINNED, "{got:?}");
    let ratio = ratio(&grid(6, 3), &grid(12, 5)).unwrap();
    let bits = [ratio.value, ratio.low, ratio.high].map(f64::to_bits);
    assert_eq!(bits.map(|it| format!("{it:016x}")), PINNED_RATIO, "{ratio:?}");
}

const PINNED: [&str; 5] = [
    "40311858b2387d9e",
    "402d06888422c444",
    "403439f0574296d5",
    "402bb737687288de",
    "40124ee2f1e1bd98",
];
const PINNED_RATIO: [&str; 3] = ["40016fbe2071423c", "3ffbac9198f74062", "4005fdedf19c32ff"];

#[test]
fn ratios_are_mirrored_when_the_models_change_places() {
    let (short, long) = (grid(4, 4), grid(32, 4));
    let (one, other) = (ratio(&short, &long).unwrap(), ratio(&long, &short).unwrap());
    assert!(one.low > 4.0 && one.value < 12.0 && one.high < 20.0, "{one:?}");
    assert!((one.value * other.value - 1.0).abs() < 1e-9);
    assert!((one.low * other.high - 1.0).abs() < 1e-9);
    let same = ratio(&short, &short).unwrap();
    assert!((same.value - 1.0).abs() < 1e-9 && same.low < 1.0 && same.high > 1.0);
    assert!(same.p > 0.999 && one.p < 0.001 && (one.p - other.p).abs() < 1e-9, "{one:?}");
    // The interval leaves out 1 where p is below 5 %.
    let near = ratio(&short, &grid(6, 4)).unwrap();
    assert_eq!(near.p < 0.05, near.low > 1.0, "{near:?}");
    assert_eq!(ratio(&short, &[]), None);
}

/// Asks until the staircase ends, completing tasks up to `longest`.
fn climb(longest: u16, most: usize) -> Vec<Attempt> {
    let staircase = Staircase::new(&LEVELS, f64::from, most);
    let mut tasks = Vec::new();
    while let Some(level) = staircase.next(&tasks) {
        tasks.push(Attempt::once(LEVELS[level], LEVELS[level] <= longest));
    }
    tasks
}

#[test]
fn the_staircase_starts_low_and_climbs_by_at_most_two() {
    assert_eq!(next_level(&[], &LEVELS, f64::from, 40), Some(2));
    assert_eq!(next_level(&[], &[8, 16], f64::from, 40), Some(0));
    assert_eq!(next_level(&[], &[], f64::from, 40), None);
    assert_eq!(next_level(&[Attempt::once(3, true)], &LEVELS, f64::from, 1), None);
    for longest in [0, 1, 4, 16, 64, 256] {
        let (tasks, mut reached) = (climb(longest, 40), 0);
        for task in &tasks {
            assert!(task.calls <= 3.max(2 * reached), "{longest}: {tasks:?}");
            reached = reached.max(if task.completed == 1 { task.calls } else { 0 });
        }
        let got = fit(&tasks).unwrap();
        match longest {
            0 => assert_eq!(got.bound, Some(Bound::Below(1.0)), "{got:?}"),
            256 => assert_eq!(got.bound, Some(Bound::AtLeast(256.0)), "{got:?}"),
            _ => assert!(got.high <= PRECISION * got.horizon, "{longest}: {got:?}"),
        }
    }
    // Levels asked before the scale changed count too.
    let odd = [Attempt::once(5, true), Attempt::once(10, false)];
    assert!(next_level(&odd, &LEVELS, f64::from, 40).is_some());
}
