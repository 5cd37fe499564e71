//! Two futures, of which the first to be ready counts.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// What `first` gives, unless `second` is ready sooner; the other one is dropped where it stands.
pub(super) async fn race<A, B>(
    first: impl Future<Output = A>,
    second: impl Future<Output = B>,
) -> Result<A, B> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|context| {
        if let Poll::Ready(value) = first.as_mut().poll(context) {
            return Poll::Ready(Ok(value));
        }
        second.as_mut().poll(context).map(Err)
    })
    .await
}
