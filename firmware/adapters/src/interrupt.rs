//! Atomics for tests: before each access of the program an interrupt may come.

use std::boxed::Box;
use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::thread_local;

thread_local! {
    static BEFORE_ACCESS: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

/// Has `before_access` called before each access of this thread, but for its own.
pub(crate) fn watch(before_access: impl FnMut() + 'static) {
    BEFORE_ACCESS.replace(Some(Box::new(before_access)));
}

/// Ends what [`watch`] began.
pub(crate) fn unwatch() {
    BEFORE_ACCESS.take();
}

/// Lets an interrupt come.
pub(crate) fn access() {
    if let Some(mut before) = BEFORE_ACCESS.take() {
        before();
        BEFORE_ACCESS.replace(Some(before));
    }
}

macro_rules! atomic {
    ($name:ident, $number:ty) => {
        #[derive(Debug)]
        pub(crate) struct $name(std::sync::atomic::$name);

        impl $name {
            pub(crate) const fn new(value: $number) -> Self {
                Self(std::sync::atomic::$name::new(value))
            }

            pub(crate) fn load(&self, order: Ordering) -> $number {
                access();
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: $number, order: Ordering) {
                access();
                self.0.store(value, order);
            }
        }
    };
}

atomic!(AtomicU16, u16);
atomic!(AtomicUsize, usize);
