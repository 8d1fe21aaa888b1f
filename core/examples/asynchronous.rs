//! Learns a device whose answers are awaited, with an executor of a few lines.
//!
//! The device is a thread that answers after a while and wakes the task, as an interrupt does on a
//! board.

use std::error::Error;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvError, Sender, TryRecvError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use mealybug_core::{AsyncSul, Input, Options, Session, serve};

fn main() -> Result<(), Box<dyn Error>> {
    let mut counter = Counter::start();
    let mut session = Session::new(vec![0; 1024], 2, Options::new())?;
    let end = block_on(serve::learn_async(&mut session, &mut counter))?;
    println!("{end:?}: {} components", session.progress().components);
    Ok(())
}

/// Runs a future on this thread, which sleeps while there is nothing to do.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// The near end of a counter up to two: input 0 counts, input 1 starts again.
struct Counter {
    requests: Sender<(Option<Input>, Waker)>,
    answers: Receiver<&'static str>,
}

impl Counter {
    fn start() -> Self {
        let (requests, requested) = mpsc::channel::<(Option<Input>, Waker)>();
        let (answer, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut count = 0_usize;
            for (input, waker) in requested {
                count = if input == Some(Input::new(0)) { (count + 1).min(2) } else { 0 };
                if answer.send(["zero", "one", "two"][count]).is_err() {
                    break;
                }
                waker.wake();
            }
        });
        Self { requests, answers }
    }

    /// Sends an input, or `None` for a reset, and waits for the answer.
    async fn ask(&mut self, input: Option<Input>) -> Result<&'static str, RecvError> {
        let mut is_sent = false;
        poll_fn(|context| {
            if !is_sent {
                let request = (input, context.waker().clone());
                if self.requests.send(request).is_err() {
                    return Poll::Ready(Err(RecvError));
                }
                is_sent = true;
            }
            match self.answers.try_recv() {
                Ok(answer) => Poll::Ready(Ok(answer)),
                Err(TryRecvError::Empty) => Poll::Pending,
                Err(TryRecvError::Disconnected) => Poll::Ready(Err(RecvError)),
            }
        })
        .await
    }
}

impl AsyncSul for Counter {
    type Error = RecvError;

    async fn reset(&mut self) -> Result<(), RecvError> {
        self.ask(None).await.map(|_| ())
    }

    async fn step(&mut self, input: Input) -> Result<&[u8], RecvError> {
        self.ask(Some(input)).await.map(str::as_bytes)
    }
}
