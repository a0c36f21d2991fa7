//! Parts that several pages use.

pub mod apart;
pub mod call_view;
pub mod confirm;
pub mod copy_link;
pub mod disclosure_view;
pub mod effect_view;
pub mod episode_view;
pub mod folded;
pub mod key_field;
pub mod language;
pub mod score_table;
pub mod send_question;
pub mod signatures;
pub mod theme;
pub mod transcript;
