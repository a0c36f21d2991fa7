//! Keeps relocations in the page's WebAssembly: the build splits it by them, see `src/lazy.rs`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo::rustc-link-arg-bin=app=--emit-relocs");
    }
}
