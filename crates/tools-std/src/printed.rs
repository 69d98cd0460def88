//! All that a child prints until it ends, as far as it is wanted.

use pegboard_process::{Child, read_soon};
use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// What a child printed until it ended, and how it ended; no status when there was more than wanted.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) bytes: Vec<u8>,
    pub(crate) status: Option<ExitStatus>,
}

/// Reads what `child` prints into `pipe` until it ended, and what was printed by then. Whoever else holds the pipe
/// does not hold us. Gives up after `most` bytes.
pub(crate) async fn read_to_its_end(
    child: &mut Child,
    mut pipe: impl AsyncRead + Unpin,
    most: usize,
) -> io::Result<Printed> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; CHUNK_BYTES]);
    let mut is_open = true;
    let status = {
        let mut ended = pin!(child.wait());
        loop {
            let read = tokio::select! {
                biased;
                // Before the pipe, which a flood from what is left behind could keep busy for ever.
                status = &mut ended => break status?,
                read = pipe.read(&mut buffer), if is_open => read?,
            };
            is_open = read > 0;
            bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
            if bytes.len() > most {
                return Ok(Printed { bytes, status: None });
            }
        }
    };
    while is_open && bytes.len() <= most {
        let read = read_soon(&mut pipe, &mut buffer).await?;
        is_open = read > 0;
        bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
    let status = (bytes.len() <= most).then_some(status);
    Ok(Printed { bytes, status })
}
