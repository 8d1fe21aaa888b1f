//! Says how the program is linked; where the memory is, the board's crate says.

fn main() {
    println!("cargo:rustc-link-arg-bins=-Thifive1-link.x");
}
