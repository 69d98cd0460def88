//! Runs the calls of one message: batches, cancellation, one result per call in order.
