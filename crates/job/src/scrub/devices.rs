//! The files of a state by device.

use crate::error::Error;
use hashmill_keep::{Share, State, Verdict};
use hashmill_source::{Device, Devices};
use std::sync::Arc;

/// The most devices that are told apart; the files of all others are told together.
const MAX_DEVICES: usize = 64;

/// The files of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFiles {
    /// The device; none for files that were never read, and for those of all devices beyond the 64th.
    pub device: Option<Arc<Device>>,
    /// The files that are not gone.
    pub files: u64,
    /// Their bytes, as far as sizes are known.
    pub bytes: u64,
    /// Those whose content was never proved.
    pub unread: u64,
    /// The time of the oldest last proof, in seconds since 1970.
    pub oldest: Option<i64>,
    /// All files by what was found last, in the order of [`Verdict::ALL`].
    pub verdicts: [u64; Verdict::ALL.len()],
}

impl DeviceFiles {
    fn new(device: Option<Arc<Device>>) -> DeviceFiles {
        let verdicts = Default::default();
        DeviceFiles { device, files: 0, bytes: 0, unread: 0, oldest: None, verdicts }
    }

    fn add(&mut self, share: &Share) {
        if let Some(place) = Verdict::ALL.iter().position(|verdict| Some(*verdict) == share.verdict) {
            self.verdicts[place] += share.files;
        }
        if share.verdict == Some(Verdict::Missing) {
            return;
        }
        self.files += share.files;
        self.bytes = self.bytes.saturating_add(share.bytes);
        self.unread += share.unread;
        self.oldest = self.oldest.into_iter().chain(share.oldest).min();
    }

    /// Returns the number of files with this verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        let place = Verdict::ALL.iter().position(|other| *other == verdict);
        place.map_or(0, |place| self.verdicts[place])
    }
}

/// Returns the files of a state by device.
pub(super) fn devices(state: &State) -> Result<Vec<DeviceFiles>, Error> {
    let known = Devices::new();
    Ok(by_device(state.shares()?, &mut |number, path| known.device(number, path)))
}

fn by_device(shares: Vec<Share>, find: &mut dyn FnMut(u64, &[u8]) -> Arc<Device>) -> Vec<DeviceFiles> {
    let mut all: Vec<DeviceFiles> = Vec::new();
    for share in shares {
        let device = share.device.filter(|number| *number != 0).map(|number| find(number, &share.example));
        let names = device.as_deref().map(names_of);
        let known = all.iter().position(|of| of.device.as_deref().map(names_of) == names);
        let place = known.unwrap_or_else(|| {
            let is_full = all.iter().filter(|of| of.device.is_some()).count() >= MAX_DEVICES;
            let device = device.filter(|_| !is_full);
            all.iter().position(|of| is_full && of.device.is_none()).unwrap_or_else(|| {
                all.push(DeviceFiles::new(device));
                all.len() - 1
            })
        });
        all[place].add(&share);
    }
    all
}

/// Returns what tells a device from others: a disk that is mounted again may have another number.
fn names_of(device: &Device) -> (Option<&str>, Option<&std::path::Path>, u64) {
    let has_names = device.source.is_some() || device.mount_point.is_some();
    let number = if has_names { 0 } else { device.number };
    (device.source.as_deref(), device.mount_point.as_deref(), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(device: u64, verdict: Verdict, files: u64, oldest: i64) -> Share {
        let (example, oldest) = (b"a".as_slice().into(), Some(oldest));
        Share {
            device: Some(device),
            verdict: Some(verdict),
            files,
            bytes: 10 * files,
            unread: 0,
            oldest,
            example,
        }
    }

    #[test]
    fn numbers_of_one_device_are_joined() {
        let mut find = |number: u64, _: &[u8]| {
            let source = (number < 3).then(|| "/dev/sda1".to_string());
            Arc::new(Device { source, ..Device::unknown(number) })
        };
        let shares = vec![
            share(1, Verdict::Verified, 5, 70),
            share(2, Verdict::Verified, 2, 50),
            share(2, Verdict::Missing, 1, 20),
            share(3, Verdict::Rot, 1, 60),
            Share { device: None, verdict: None, unread: 4, oldest: None, ..share(0, Verdict::New, 4, 0) },
        ];
        let all = by_device(shares, &mut find);
        assert_eq!(all.len(), 3);
        assert_eq!((all[0].files, all[0].bytes, all[0].oldest), (7, 70, Some(50)));
        assert_eq!((all[0].of(Verdict::Verified), all[0].of(Verdict::Missing)), (7, 1));
        assert_eq!((all[1].of(Verdict::Rot), all[2].unread), (1, 4));
    }

    #[test]
    fn there_are_no_more_devices_than_may_be_told_apart() {
        let shares = (1..=1000).map(|number| share(number, Verdict::Verified, 1, 9)).collect();
        let all = by_device(shares, &mut |number, _| Arc::new(Device::unknown(number)));
        assert_eq!((all.len(), all[MAX_DEVICES].files), (MAX_DEVICES + 1, 1000 - MAX_DEVICES as u64));
    }
}
