//! The controlling terminal: where questions are put even when stdin and stdout are pipes.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};
use std::sync::Mutex;

/// Both directions of the terminal.
pub(crate) struct Terminal {
    input: Mutex<Box<dyn BufRead + Send>>,
    output: Mutex<Box<dyn Write + Send>>,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}

impl Terminal {
    /// Opens the controlling terminal.
    pub(crate) fn open() -> io::Result<Self> {
        let (input, output) = if cfg!(windows) { ("CONIN$", "CONOUT$") } else { ("/dev/tty", "/dev/tty") };
        let input = OpenOptions::new().read(true).open(input)?;
        let output = OpenOptions::new().write(true).open(output)?;
        Ok(Self::of(BufReader::new(input), output))
    }

    /// A terminal of these two directions.
    pub(crate) fn of(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) -> Self {
        Self { input: Mutex::new(Box::new(input)), output: Mutex::new(Box::new(output)) }
    }

    /// Writes `text` at once.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        let mut output = self.output.lock().map_err(|_| io::ErrorKind::Other)?;
        output.write_all(text.as_bytes())?;
        output.flush()
    }

    /// Reads one line without its end; `None` at the end of input.
    pub(crate) fn read_line(&self) -> io::Result<Option<String>> {
        let mut input = self.input.lock().map_err(|_| io::ErrorKind::Other)?;
        let mut line = String::new();
        let read = input.read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned()))
    }
}

/// Whether a character is invisible or turns the order of what follows.
pub(crate) fn reorders(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Text for a terminal: control characters other than line ends and tabs become visible, so that a
/// hostile input cannot move the cursor over what a person must read.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if reorders(character) || (character.is_control() && character != '\n' && character != '\t') {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_cannot_move_the_cursor() {
        assert_eq!(visible("a\x1b[2Kb\r\u{202e}\tc\n"), "a\\u{1b}[2Kb\\u{d}\\u{202e}\tc\n");
    }
}
