//! Says how the programs are linked; where the memory is, the HAL says.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
}
