//! Programs by other people: rx of lrzsz, U-Boot, ser2net, Chromium, Graphviz, librsvg, Python.

mod adapter;
mod browser;
mod graphviz;
mod png;
mod rx;
mod ser2net;
mod uboot;
