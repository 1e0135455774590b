//! Error numbers.

macro_rules! names {
    ($number:expr, $($name:ident)*) => {
        // Some names share a number.
        #[allow(unreachable_patterns)]
        match $number {
            $(libc::$name => Some(stringify!($name)),)*
            _ => None,
        }
    };
}
pub(crate) use names;

/// The error for a link that is not followed.
pub const LINK: [i32; 1] = [libc::ELOOP];
/// Errors for too many open files: of the process, and of the machine.
pub const TOO_MANY_OPEN: [i32; 2] = [libc::EMFILE, libc::ENFILE];

/// A read that is not aligned, or a file system without direct reads.
pub const NO_DIRECT: [i32; 1] = [libc::EINVAL];
/// The error for a device that isn't there.
pub const NO_DEVICE: i32 = libc::ENXIO;
/// The error for a folder in the place of a file.
pub const IS_FOLDER: i32 = libc::EISDIR;
/// Errors of locks where there are none: the lock manager of an NFS server is not running, an NFS server makes locks of
/// ranges and gives none for files that can't be written (`EBADF`), or the file system does not support locks.
pub const NO_LOCKS: [i32; 5] = [libc::ENOLCK, libc::EOPNOTSUPP, libc::ENOSYS, libc::EINVAL, libc::EBADF];

/// Errors of a file system that can't swap two names.
pub const NO_SWAP: [i32; 4] = [libc::EINVAL, libc::ENOSYS, libc::EOPNOTSUPP, libc::ENOTSUP];

/// Returns the name of an error that looking up, listing, opening or reading can return on all systems.
pub fn common_name(number: i32) -> Option<&'static str> {
    names!(
        number,
        EPERM ENOENT EINTR EIO ENXIO EBADF EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST ENODEV ENOTDIR EISDIR EINVAL
        ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE ERANGE ENAMETOOLONG ENOSYS ENOTEMPTY
        ELOOP ENODATA ETIME EPROTO EBADMSG EOVERFLOW EILSEQ EOPNOTSUPP ENETDOWN ENETUNREACH ENETRESET
        ECONNABORTED ECONNRESET ENOBUFS ENOTCONN ESHUTDOWN ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH ESTALE
        EDQUOT ECANCELED EXDEV EDEADLK ENOLCK
    )
}

#[cfg(test)]
mod tests {
    use crate::error::{is_damage, is_link, is_no_locks, is_too_many_open, word};
    use std::io;

    #[test]
    fn numbers_have_their_names() {
        let of = |number| word(&io::Error::from_raw_os_error(number)).into_owned();
        assert_eq!(of(libc::EACCES), "EACCES");
        assert_eq!(of(libc::ESTALE), "ESTALE");
        assert_eq!(of(99_999), "errno-99999");
    }

    #[test]
    fn numbers_have_their_meanings() {
        let of = io::Error::from_raw_os_error;
        assert!(
            is_link(&of(libc::ELOOP)) && is_damage(&of(libc::EIO)) && is_too_many_open(&of(libc::ENFILE))
        );
        assert!(is_no_locks(&of(libc::ENOLCK)) && is_no_locks(&of(libc::EOPNOTSUPP)));
        assert!(!is_no_locks(&of(libc::EWOULDBLOCK)) && !is_no_locks(&of(libc::EIO)));
    }
}
