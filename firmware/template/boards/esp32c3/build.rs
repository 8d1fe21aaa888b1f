//! Says how the program is linked; where the memory is, the HAL says.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Tlinkall.x");
}
