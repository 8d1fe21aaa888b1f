//! Programs by other people: rx of lrzsz, U-Boot, ser2net, labgrid, Chromium, Graphviz, librsvg, Python.

mod adapter;
mod browser;
mod graphviz;
mod labgrid;
mod live;
mod png;
mod rx;
mod ser2net;
mod uboot;
