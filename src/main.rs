//! The page's entry point: mounts the app.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        use leptos::prelude::*;
        console_error_panic_hook::set_once();
        leptos::mount::mount_to_body(|| view! { <main><h1>"API-Bank"</h1></main> });
    }
}
