//! The page's entry point: mounts the app.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        api_bank_web::app::start();
    }
}
