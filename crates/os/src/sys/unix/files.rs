//! Opening, reading and writing of files.

use crate::{FIFO_WAIT, Links, Stream, UnsyncedFolder, error, without_writer};
use std::ffi::c_int;
use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// The mode of a file that only its owner can use, and of such a folder.
const OWN_FILE: u32 = 0o600;
const OWN_FOLDER: u32 = 0o700;

pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    FileExt::read_at(file, buffer, offset)
}

pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    FileExt::write_at(file, bytes, offset)
}

pub fn open_now(path: &Path, links: Links) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | flags(links)).open(path)
}

pub fn open_to_read(path: &Path) -> io::Result<File> {
    if !path.metadata().is_ok_and(|meta| meta.file_type().is_fifo()) {
        return File::open(path);
    }
    let path = path.to_path_buf();
    let (sender, opened) = mpsc::sync_channel(1);
    // Nothing ends the call of a thread that waits for a writer: it stays until there is one.
    thread::Builder::new().spawn(move || sender.send(File::open(path)))?;
    opened.recv_timeout(FIFO_WAIT).unwrap_or_else(|_| Err(without_writer()))
}

pub fn open_to_change(path: &Path, links: Links) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK | flags(links)).open(path)
}

// Without `O_CREAT`, Linux takes the flag as a claim on a device; macOS refuses to write to a mounted one without it.
pub fn open_disk_alone(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(libc::O_EXCL).open(path)
}

pub fn open_folder(path: &Path, links: Links) -> io::Result<File> {
    let flags = libc::O_DIRECTORY | libc::O_NONBLOCK | flags(links);
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

fn flags(links: Links) -> i32 {
    match links {
        Links::Follow => 0,
        Links::Stay => libc::O_NOFOLLOW,
    }
}

pub fn create_own(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(OWN_FILE).open(path)
}

pub fn create_own_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWN_FOLDER).create(path)
}

pub fn publish(file: &File, mode: u32) -> io::Result<()> {
    if file.metadata()?.mode() & 0o7777 == mode {
        return Ok(());
    }
    match file.set_permissions(Permissions::from_mode(mode)) {
        // A file system without permissions: nothing is lost.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

pub fn close_folder(folder: &File) -> io::Result<()> {
    folder.set_permissions(Permissions::from_mode(OWN_FOLDER))
}

pub fn publish_folder(folder: &File, _: &Path, mode: u32) -> io::Result<()> {
    folder.set_permissions(Permissions::from_mode(mode))
}

pub fn sync_folder(folder: &Path) -> Result<(), UnsyncedFolder> {
    let open = File::open(folder).map_err(UnsyncedFolder::NotOpened)?;
    open.sync_all().map_err(UnsyncedFolder::NotSynced)
}

#[allow(unsafe_code)]
pub fn settle(file: &File) -> io::Result<()> {
    let second = match file.try_clone() {
        // No descriptor is left for the duplicate.
        Err(error) if error::is_too_many_open(&error) => return Ok(()),
        second => second?,
    };
    // SAFETY: the descriptor is owned here, and given up by this call.
    if unsafe { libc::close(second.into_raw_fd()) } == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        // The descriptor is closed nevertheless.
        error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        error => Err(error),
    }
}

pub fn try_lock(file: &File) -> io::Result<()> {
    file.try_lock().map_err(|error: TryLockError| io::Error::from(error))
}

/// Returns the file that is locked in the place of a folder: a duplicate, which shares its lock.
pub fn lock_holder(open: &File, _: &Path) -> io::Result<File> {
    open.try_clone()
}

/// The numbers of the sockets that hold the places of closed standard streams, by descriptor; 0 if the stream was open.
static HELD: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Holds the places by sockets without a peer: to read, to write and to open them by `/dev/stdin` or `/proc` fails.
#[allow(unsafe_code)]
pub fn hold_closed_streams() {
    for (place, held) in (0..).zip(&HELD) {
        // SAFETY: the calls touch no memory, and the new descriptor has no other owner.
        unsafe {
            if libc::fcntl(place, libc::F_GETFD) != -1 {
                continue;
            }
            match libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0) {
                // The lowest number that is free, unless another thread was faster.
                socket if socket == place => {
                    libc::fcntl(socket, libc::F_SETFD, libc::FD_CLOEXEC);
                    held.store(number(socket).unwrap_or(0), Ordering::Release);
                }
                socket if socket >= 0 => drop(OwnedFd::from_raw_fd(socket)),
                _ => {}
            }
        }
    }
}

pub fn is_closed(stream: Stream) -> bool {
    let place = stream as c_int;
    let held = HELD[stream as usize].load(Ordering::Acquire);
    held != 0 && number(place) == Some(held)
}

/// Returns the inode number of an open file.
#[allow(unsafe_code, clippy::unnecessary_cast, reason = "the number has another type on macOS")]
fn number(descriptor: c_int) -> Option<u64> {
    let mut stat = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: `stat` has room for what the call writes, which is all of it if it succeeds.
    unsafe { (libc::fstat(descriptor, stat.as_mut_ptr()) == 0).then(|| stat.assume_init().st_ino as u64) }
}

pub fn standard(stream: Stream) -> io::Result<File> {
    if is_closed(stream) {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    let file = match stream {
        Stream::Input => io::stdin().as_fd().try_clone_to_owned(),
        Stream::Output => io::stdout().as_fd().try_clone_to_owned(),
        Stream::Error => io::stderr().as_fd().try_clone_to_owned(),
    };
    file.map(File::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileKind, facts};
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_refused_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink(folder.path(), at("folder")).unwrap();
        assert!(open_now(&at("link"), Links::Follow).is_ok());
        assert!(error::is_link(&open_now(&at("link"), Links::Stay).unwrap_err()));
        assert!(open_folder(&at("folder"), Links::Follow).is_ok());
        assert!(open_folder(&at("folder"), Links::Stay).is_err());
    }

    #[test]
    #[allow(unsafe_code)]
    fn a_fifo_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifo");
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the name is a C string that outlives the call.
        crate::sys::retry_interrupted(|| unsafe { libc::mkfifo(name.as_ptr(), 0o600) }).unwrap();
        assert_eq!(facts(&open_now(&path, Links::Stay).unwrap()).unwrap().kind, FileKind::Fifo);
    }

    #[test]
    fn own_files_have_the_mode_of_the_owner_until_they_are_published() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let file = create_own(&at("file")).unwrap();
        create_own_folder(&at("folder")).unwrap();
        let mode = |name| fs::metadata(at(name)).unwrap().mode() & 0o7777;
        assert_eq!((mode("file"), mode("folder")), (0o600, 0o700));
        publish(&file, 0o644).unwrap();
        assert_eq!(mode("file"), 0o644);
    }
}
