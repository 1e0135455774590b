//! Error numbers of Win32.

use std::borrow::Cow;
use windows_sys::Win32::Foundation::*;

/// Errors for a link that is not followed.
pub const LINK: [i32; 4] = [
    ERROR_STOPPED_ON_SYMLINK as i32,
    ERROR_CANT_ACCESS_FILE as i32,
    ERROR_REPARSE_POINT_ENCOUNTERED as i32,
    ERROR_CANT_RESOLVE_FILENAME as i32,
];
/// The error for too many open files.
pub const TOO_MANY_OPEN: [i32; 1] = [ERROR_TOO_MANY_OPEN_FILES as i32];

/// A read that is not aligned.
pub const NO_DIRECT: [i32; 1] = [ERROR_INVALID_PARAMETER as i32];
/// Errors of damaged media.
pub const DAMAGE: [i32; 4] =
    [ERROR_IO_DEVICE as i32, ERROR_CRC as i32, ERROR_SECTOR_NOT_FOUND as i32, ERROR_DISK_CORRUPT as i32];
/// Errors of locks where there are none.
pub const NO_LOCKS: [i32; 2] = [ERROR_INVALID_FUNCTION as i32, ERROR_NOT_SUPPORTED as i32];
/// Errors of a file system that can't swap two names: none is asked to.
pub const NO_SWAP: [i32; 0] = [];
/// The error for a device that isn't there.
pub const NO_DEVICE: i32 = ERROR_DEV_NOT_EXIST as i32;
/// The error for a folder in the place of a file.
pub const IS_FOLDER: i32 = ERROR_DIRECTORY_NOT_SUPPORTED as i32;

/// Errors of files whose content is in a cloud.
const CLOUD: std::ops::RangeInclusive<u32> = ERROR_CLOUD_FILE_SYNC_ROOT_METADATA_CORRUPT..=CLOUD_LAST;
/// `ERROR_CLOUD_FILE_US_MESSAGE_TIMEOUT`, the last of them.
const CLOUD_LAST: u32 = 475;
/// Errors with numbers between those of [`CLOUD`] that have nothing to do with clouds.
const NOT_CLOUD: std::ops::RangeInclusive<u32> = 399..=403;

pub fn word(number: i32) -> Cow<'static, str> {
    let number = number.cast_unsigned();
    match name(number) {
        Some(name) => Cow::Borrowed(name),
        None if is_cloud(number) => Cow::Borrowed("not-hydrated"),
        None => format!("win32-{number}").into(),
    }
}

fn is_cloud(number: u32) -> bool {
    CLOUD.contains(&number) && !NOT_CLOUD.contains(&number)
}

/// Returns the C name of an error that means the same.
fn name(number: u32) -> Option<&'static str> {
    Some(match number {
        ERROR_FILE_NOT_FOUND | ERROR_PATH_NOT_FOUND | ERROR_BAD_NETPATH | ERROR_BAD_NET_NAME
        | ERROR_INVALID_DRIVE => "ENOENT",
        ERROR_ACCESS_DENIED | ERROR_PRIVILEGE_NOT_HELD => "EACCES",
        ERROR_INVALID_HANDLE => "EBADF",
        ERROR_NOT_ENOUGH_MEMORY | ERROR_OUTOFMEMORY | ERROR_NO_SYSTEM_RESOURCES => "ENOMEM",
        ERROR_INVALID_FUNCTION | ERROR_INVALID_PARAMETER | ERROR_INVALID_NAME | ERROR_NOT_A_REPARSE_POINT => {
            "EINVAL"
        }
        ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION => "locked",
        ERROR_BUSY | ERROR_DRIVE_LOCKED => "EBUSY",
        ERROR_FILE_EXISTS | ERROR_ALREADY_EXISTS => "EEXIST",
        ERROR_DIRECTORY => "ENOTDIR",
        ERROR_TOO_MANY_OPEN_FILES => "EMFILE",
        ERROR_HANDLE_DISK_FULL | ERROR_DISK_FULL => "ENOSPC",
        ERROR_DISK_QUOTA_EXCEEDED => "EDQUOT",
        ERROR_FILE_TOO_LARGE => "EFBIG",
        ERROR_WRITE_PROTECT => "EROFS",
        ERROR_BROKEN_PIPE | ERROR_NO_DATA | ERROR_PIPE_NOT_CONNECTED => "EPIPE",
        ERROR_FILENAME_EXCED_RANGE => "ENAMETOOLONG",
        ERROR_CALL_NOT_IMPLEMENTED => "ENOSYS",
        ERROR_NOT_SUPPORTED => "EOPNOTSUPP",
        ERROR_DIR_NOT_EMPTY => "ENOTEMPTY",
        ERROR_NOT_SAME_DEVICE => "EXDEV",
        ERROR_STOPPED_ON_SYMLINK
        | ERROR_CANT_ACCESS_FILE
        | ERROR_REPARSE_POINT_ENCOUNTERED
        | ERROR_CANT_RESOLVE_FILENAME => "ELOOP",
        ERROR_CRC
        | ERROR_SECTOR_NOT_FOUND
        | ERROR_IO_DEVICE
        | ERROR_GEN_FAILURE
        | ERROR_READ_FAULT
        | ERROR_WRITE_FAULT
        | ERROR_DISK_CORRUPT => "EIO",
        ERROR_FILE_CORRUPT | ERROR_UNRECOGNIZED_VOLUME => "EUCLEAN",
        ERROR_DEV_NOT_EXIST | ERROR_DEVICE_NOT_CONNECTED | ERROR_NO_SUCH_DEVICE => "ENXIO",
        ERROR_NOT_READY | ERROR_NO_MEDIA_IN_DRIVE => "ENOMEDIUM",
        ERROR_SEM_TIMEOUT | ERROR_TIMEOUT => "ETIMEDOUT",
        ERROR_OPERATION_ABORTED | ERROR_CANCELLED => "ECANCELED",
        ERROR_UNEXP_NET_ERR | ERROR_NETNAME_DELETED => "ECONNRESET",
        ERROR_CONNECTION_REFUSED => "ECONNREFUSED",
        ERROR_HOST_UNREACHABLE => "EHOSTUNREACH",
        ERROR_NETWORK_UNREACHABLE => "ENETUNREACH",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_without_a_c_name_have_a_word() {
        assert_eq!(word(32), "locked");
        assert_eq!(word(362), "not-hydrated");
        assert_eq!(word(400), "win32-400");
        assert_eq!(word(12_345), "win32-12345");
    }
}
