//! No start-up code, which would bring a `main` of its own; of the C library only `memcpy` and its like.
fn main() {
    println!("cargo:rustc-link-arg-bins=-nostartfiles");
    println!("cargo:rustc-link-arg-bins=-lc");
}
