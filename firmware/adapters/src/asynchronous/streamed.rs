//! A serial port of any HAL that implements embedded-io-async.

use core::fmt;
use core::future::poll_fn;
use core::pin::pin;
use core::task::Poll;

use embedded_hal_async::delay::DelayNs;
use embedded_io_async::{Read, Write};

use super::Link;
use crate::LineFault;

/// A serial port that is read and written as a stream, and a clock in milliseconds.
///
/// The port must hold what comes while nobody reads, and its `read` may be dropped before it is
/// ready without losing bytes: the buffered ports of HALs are made so. Streams do not say what was
/// wrong with a byte, so each error of `read` is an overrun.
///
/// Bytes of a `write` that is dropped are sent as far as the port had taken them.
pub struct Streamed<S, D, C> {
    stream: S,
    delay: D,
    now_ms: C,
}

impl<S: Read + Write, D: DelayNs, C: Fn() -> u64> Streamed<S, D, C> {
    /// A port with a way to wait and the time.
    pub const fn new(stream: S, delay: D, now_ms: C) -> Self {
        Self { stream, delay, now_ms }
    }
}

impl<S: Read + Write, D: DelayNs, C: Fn() -> u64> Link for Streamed<S, D, C> {
    fn now_ms(&self) -> u64 {
        (self.now_ms)()
    }

    async fn write(&mut self, bytes: &[u8]) {
        // Bytes that cannot be sent are lost; their frame, or the device, will show that.
        if self.stream.write_all(bytes).await.is_ok() {
            let _ = self.stream.flush().await;
        }
    }

    async fn read_until(&mut self, deadline_ms: u64) -> Result<Option<u8>, LineFault> {
        loop {
            let left_ms = deadline_ms.saturating_sub(self.now_ms());
            let mut byte = [0];
            let came = {
                let mut read = pin!(self.stream.read(&mut byte));
                let mut late =
                    pin!(self.delay.delay_ms(u32::try_from(left_ms).unwrap_or(u32::MAX)));
                poll_fn(|context| match read.as_mut().poll(context) {
                    Poll::Ready(came) => Poll::Ready(Some(came)),
                    Poll::Pending if left_ms == 0 => Poll::Ready(None),
                    Poll::Pending => late.as_mut().poll(context).map(|()| None),
                })
                .await
            };
            match came {
                Some(Ok(1..)) => {
                    let [byte] = byte;
                    return Ok(Some(byte));
                }
                Some(Ok(0) | Err(_)) => return Err(LineFault::Overrun),
                None if left_ms == 0 => return Ok(None),
                None => {}
            }
        }
    }
}

impl<S, D, C> fmt::Debug for Streamed<S, D, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::future::{pending, ready};
    use std::task::{Context, Waker};
    use std::vec::Vec;

    use embedded_io_async::ErrorType;

    use super::*;

    /// What comes, and what was sent.
    #[derive(Default)]
    struct ScriptedPort {
        comes: VecDeque<u8>,
        sent: Vec<u8>,
    }

    impl ErrorType for ScriptedPort {
        type Error = Infallible;
    }

    impl Read for ScriptedPort {
        async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Infallible> {
            match self.comes.pop_front() {
                Some(byte) => {
                    bytes[0] = byte;
                    Ok(1)
                }
                None => pending().await,
            }
        }
    }

    impl Write for ScriptedPort {
        async fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
            // No more than two at a time.
            let some = &bytes[..bytes.len().min(2)];
            self.sent.extend(some);
            Ok(some.len())
        }

        async fn flush(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    /// Lets the time pass at once, or never.
    struct FakeDelay<'a> {
        now_ms: &'a Cell<u64>,
        passes: bool,
    }

    impl DelayNs for FakeDelay<'_> {
        fn delay_ns(&mut self, _: u32) -> impl Future<Output = ()> {
            ready(())
        }

        async fn delay_ms(&mut self, ms: u32) {
            if !self.passes {
                pending::<()>().await;
            }
            self.now_ms.set(self.now_ms.get() + u64::from(ms));
        }
    }

    /// What a future that is polled once returns.
    fn once<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn it_waits_for_a_byte_and_for_the_time() {
        let now_ms = Cell::new(5);
        let port = ScriptedPort { comes: [b'a', b'b'].into(), sent: Vec::new() };
        let delay = FakeDelay { now_ms: &now_ms, passes: true };
        let mut port = Streamed::new(port, delay, || now_ms.get());
        assert_eq!(once(port.read_until(9)), Some(Ok(Some(b'a'))));
        assert_eq!(once(port.read_until(0)), Some(Ok(Some(b'b'))), "a deadline in the past");
        assert_eq!((once(port.read_until(0)), now_ms.get()), (Some(Ok(None)), 5));
        assert_eq!((once(port.read_until(9)), now_ms.get()), (Some(Ok(None)), 9));
        // Longer than one delay can be.
        let long_ms = 9 + 2 * u64::from(u32::MAX);
        assert_eq!((once(port.read_until(long_ms)), now_ms.get()), (Some(Ok(None)), long_ms));
        port.delay.passes = false;
        assert_eq!(once(port.read_until(u64::MAX)), None, "it waits");
        port.stream.comes.push_back(b'c');
        assert_eq!(once(port.read_until(u64::MAX)), Some(Ok(Some(b'c'))), "nothing was lost");
        once(port.write(b"hello")).expect("there is room");
        assert_eq!(port.stream.sent, b"hello");
    }
}
