//! Parts that several pages use.

pub mod apart;
pub mod call_view;
pub mod confirm;
pub mod copy_link;
pub mod effect_view;
pub mod episode_view;
pub mod folded;
pub mod language;
pub mod score_table;
pub mod theme;
pub mod transcript;
