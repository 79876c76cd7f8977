//! CRC-32 as zip and fastchess compute it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The checksum of a file.
pub fn of_file(path: &Path) -> io::Result<u32> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 64 * 1024];
    let mut sum = !0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(!sum),
            count => sum = buffer[..count].iter().fold(sum, |sum, byte| step(sum, *byte)),
        }
    }
}

fn step(sum: u32, byte: u8) -> u32 {
    (0..8)
        .fold(sum ^ u32::from(byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_usual_check_value() {
        let sum = b"123456789".iter().fold(!0, |sum, byte| super::step(sum, *byte));
        assert_eq!(!sum, 0xcbf4_3926);
    }
}
