//! One-word names of errors, which programs can compare.

use std::borrow::Cow;
use std::io::{self, ErrorKind};

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

/// Returns the C name of a system error; `timeout` for a call that exceeded its limit; `damaged` or `error` for errors
/// of other content (an image).
pub(crate) fn word(error: &io::Error) -> Cow<'static, str> {
    match (error.raw_os_error(), error.kind()) {
        (Some(number), _) => name(number).map_or_else(|| format!("errno-{number}").into(), Cow::Borrowed),
        (None, ErrorKind::TimedOut) => Cow::Borrowed("timeout"),
        (None, ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => Cow::Borrowed("damaged"),
        // Remote content fails in ways that files do, too.
        (None, ErrorKind::NotFound) => Cow::Borrowed("ENOENT"),
        (None, ErrorKind::PermissionDenied) => Cow::Borrowed("EACCES"),
        (None, ErrorKind::ResourceBusy) => Cow::Borrowed("EBUSY"),
        (None, ErrorKind::ConnectionRefused) => Cow::Borrowed("ECONNREFUSED"),
        (None, ErrorKind::ConnectionReset) => Cow::Borrowed("ECONNRESET"),
        (None, ErrorKind::HostUnreachable) => Cow::Borrowed("EHOSTUNREACH"),
        (None, _) => Cow::Borrowed("error"),
    }
}

/// Returns the name of an error that looking up, listing, opening or reading can return.
fn name(number: i32) -> Option<&'static str> {
    names!(
        number,
        EPERM ENOENT EINTR EIO ENXIO EBADF EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST ENODEV ENOTDIR EISDIR EINVAL
        ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE ERANGE ENAMETOOLONG ENOSYS ENOTEMPTY
        ELOOP ENODATA ETIME EPROTO EBADMSG EOVERFLOW EILSEQ EOPNOTSUPP ENETDOWN ENETUNREACH ENETRESET
        ECONNABORTED ECONNRESET ENOBUFS ENOTCONN ESHUTDOWN ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH ESTALE
        EDQUOT ECANCELED EXDEV EDEADLK ENOLCK
    )
    .or_else(|| of_linux(number))
}

#[cfg(target_os = "linux")]
fn of_linux(number: i32) -> Option<&'static str> {
    names!(number, EREMOTEIO ENOMEDIUM EMEDIUMTYPE ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EUCLEAN ENONET ENOLINK
        EREMOTE ECOMM EUNATCH EHWPOISON)
}

#[cfg(not(target_os = "linux"))]
fn of_linux(_: i32) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_names_of_c() {
        let of = |number| word(&io::Error::from_raw_os_error(number)).into_owned();
        assert_eq!(of(libc::EIO), "EIO");
        assert_eq!(of(libc::EACCES), "EACCES");
        assert_eq!(of(libc::ESTALE), "ESTALE");
        assert_eq!(of(99_999), "errno-99999");
        assert_eq!(word(&io::Error::from(ErrorKind::TimedOut)), "timeout");
        assert_eq!(word(&io::Error::other("no chunk")), "error");
    }
}
