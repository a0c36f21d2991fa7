//! The virtualized sample list: only visible rows are in the DOM.

use anyhow::{Context, Result, ensure};

use crate::app::App;

/// Scrolls through the list from the top and calls `see(row)` for each row that appears, until it
/// returns a value. Calls `done` with that, or with null.
const WALK: &str = "
    const list = document.querySelector('[data-test=\"samples-list\"]');
    const drawn = () => new Promise(next =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(next))));
    const walk = async see => {
        if (!list) return null;
        list.scrollTop = 0;
        for (let before = -1; before !== list.scrollTop; list.scrollTop += list.clientHeight / 2) {
            before = list.scrollTop;
            await drawn();
            for (const row of list.querySelectorAll('[data-test=\"sample-row\"]')) {
                const found = see(row);
                if (found !== undefined) return found;
            }
        }
        return null;
    };";

/// Id and state of every listed sample, in list order.
pub async fn listed(app: &App) -> Result<Vec<(String, String)>> {
    let script = format!(
        "{WALK}
         const seen = new Map();
         walk(row => {{ seen.set(row.dataset.id, row.dataset.state); }}).then(() => done([...seen]));"
    );
    Ok(serde_json::from_value(app.script_async(&script).await?)?)
}

/// Scrolls the list until a sample is visible.
pub async fn bring_into_sight(app: &App, id: &str) -> Result<()> {
    app.element("samples-list").await.context("there is no list of samples")?;
    let wanted = serde_json::to_string(id)?;
    let script = format!(
        "{WALK}
         walk(row => row.dataset.id === {wanted} ? row : undefined).then(row => {{
             row?.scrollIntoView({{ block: 'center' }});
             done(row !== null);
         }});"
    );
    ensure!(app.script_async(&script).await? == true, "the sample {id} is not listed");
    Ok(())
}
