//! What belongs to a file beside its content: owner, mode bits, access list and other attributes.

use rustix::fs::{self, Gid, Uid};
use std::fs::{File, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

/// The bits of a mode: permissions, set-user, set-group, sticky.
const BITS: u32 = 0o7777;

/// Gives `new` all that `old` has.
///
/// # Errors
/// When something of it cannot be given; then `new` is no replacement of `old`.
pub(super) fn keep(new: &File, old: &File, meta: &Metadata) -> Result<(), NotKept> {
    let now = new.metadata().map_err(|_| NotKept)?;
    if (now.uid(), now.gid()) != (meta.uid(), meta.gid()) {
        let (uid, gid) = (Uid::from_raw(meta.uid()), Gid::from_raw(meta.gid()));
        fs::fchown(new, Some(uid), Some(gid)).map_err(|_| NotKept)?;
    }
    #[cfg(target_os = "linux")]
    extended(new, old)?;
    #[cfg(not(target_os = "linux"))]
    let _ = old;
    // Last: a new owner and an access list change the bits.
    new.set_permissions(Permissions::from_mode(bits(meta))).map_err(|_| NotKept)
}

/// The mode bits of a file.
pub(super) fn bits(meta: &Metadata) -> u32 {
    meta.mode() & BITS
}

/// Something that the old file has cannot be given to a new one.
#[derive(Debug)]
pub(super) struct NotKept;

/// Copies the attributes that people and access lists set. Those of the system (`security.`, `trusted.`)
/// are given by the system, and some of them, such as capabilities, must not survive new content.
#[cfg(target_os = "linux")]
fn extended(new: &File, old: &File) -> Result<(), NotKept> {
    use rustix::fs::XattrFlags;
    use rustix::io::Errno;
    let names = match sized(|buffer| fs::flistxattr(old, buffer)) {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        other => other.map_err(|_| NotKept)?,
    };
    let names = names.split(|byte| *byte == 0);
    let wanted = |name: &&[u8]| name.starts_with(b"user.") || *name == b"system.posix_acl_access";
    for name in names.filter(wanted) {
        let value = sized(|buffer| fs::fgetxattr(old, name, buffer)).map_err(|_| NotKept)?;
        fs::fsetxattr(new, name, &value, XattrFlags::empty()).map_err(|_| NotKept)?;
    }
    Ok(())
}

/// Asks for something whose size is not known, up to the largest that the system has.
#[cfg(target_os = "linux")]
fn sized(ask: impl Fn(&mut [u8]) -> Result<usize, rustix::io::Errno>) -> Result<Vec<u8>, rustix::io::Errno> {
    let mut buffer = vec![0; 1024];
    loop {
        match ask(&mut buffer) {
            Err(rustix::io::Errno::RANGE) if buffer.len() < 128 * 1024 => buffer.resize(buffer.len() * 4, 0),
            Err(error) => return Err(error),
            Ok(size) => {
                buffer.truncate(size);
                return Ok(buffer);
            }
        }
    }
}
