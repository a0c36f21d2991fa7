//! Components used by several pages.

pub mod answer_form;
pub mod call_view;
pub mod collapsible;
pub mod confirm;
pub mod contents;
pub mod copy_link;
pub mod deferred;
pub mod disclosure_view;
pub mod effect_view;
pub mod episode_view;
pub mod facts_view;
pub mod file_picker;
pub mod horizon_chart;
pub mod json_block;
pub mod key_field;
pub mod language;
pub mod result_card;
pub mod results_table;
pub mod score_scale;
pub mod search_view;
pub mod send_question;
pub mod signatures;
pub mod talk;
pub mod theme;
pub mod tool_map;
pub mod transcript;
