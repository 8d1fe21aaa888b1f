//! Programs by other people: rx of lrzsz, U-Boot, ser2net, Chromium, Graphviz, Python.

mod adapter;
mod browser;
mod graphviz;
mod rx;
mod ser2net;
mod uboot;
