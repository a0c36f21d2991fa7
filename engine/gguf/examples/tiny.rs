//! Writes the tiny model to a file: `cargo run -p gguf --features tiny --example tiny FILE`.

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "tiny.gguf".to_owned());
    std::fs::write(file, gguf::tiny::model())
}
