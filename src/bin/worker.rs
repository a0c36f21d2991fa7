//! The worker's entry point: hosts the engine off the page's thread.

fn main() {
    #[cfg(target_arch = "wasm32")]
    api_bank_web::worker::start();
}
