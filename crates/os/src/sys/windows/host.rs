//! The process, its user and its machine.

use super::calls::{check, size};
use crate::Usage;
use crate::host::folder_of;
use std::io;
use std::mem::zeroed;
use std::path::PathBuf;
use std::ptr::null_mut;
use std::time::Duration;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::SystemInformation::{ComputerNameDnsHostname, GetComputerNameExW};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetProcessIoCounters, GetProcessTimes, IO_COUNTERS,
};

/// The most units of a host's name.
const LONGEST_HOST: usize = 256;

/// The unit of processor times in nanoseconds.
const TICK: u64 = 100;

#[allow(unsafe_code)]
pub fn bytes_read() -> Option<u64> {
    // SAFETY: the structure contains numbers only, so all-zero bytes are a valid one.
    let mut transfers: IO_COUNTERS = unsafe { zeroed() };
    // SAFETY: the call writes to a structure that we own.
    check(unsafe { GetProcessIoCounters(GetCurrentProcess(), &raw mut transfers) }).ok()?;
    Some(transfers.ReadTransferCount)
}

#[allow(unsafe_code)]
pub fn usage() -> io::Result<Usage> {
    // SAFETY: the structures contain numbers only, so all-zero bytes are valid ones.
    let (mut times, mut memory, mut transfers): ([FILETIME; 4], PROCESS_MEMORY_COUNTERS, IO_COUNTERS) =
        unsafe { (zeroed(), zeroed(), zeroed()) };
    let [created, ended, kernel, user] = &mut times;
    // SAFETY: the calls write to structures that we own, and are told the size of the one that has several versions.
    unsafe {
        let process = GetCurrentProcess();
        check(GetProcessTimes(process, created, ended, kernel, user))?;
        check(K32GetProcessMemoryInfo(process, &raw mut memory, size::<PROCESS_MEMORY_COUNTERS>()))?;
        check(GetProcessIoCounters(process, &raw mut transfers))?;
    }
    Ok(Usage {
        user: duration(&times[3]),
        system: duration(&times[2]),
        peak: memory.PeakWorkingSetSize as u64,
        major_faults: memory.PageFaultCount.into(),
        reads: transfers.ReadOperationCount,
        writes: transfers.WriteOperationCount,
        ..Usage::default()
    })
}

fn duration(time: &FILETIME) -> Duration {
    let ticks = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos(ticks.saturating_mul(TICK))
}

#[allow(unsafe_code)]
pub fn random(buffer: &mut [u8]) -> io::Result<()> {
    for part in buffer.chunks_mut(u32::MAX as usize) {
        // SAFETY: no algorithm is given, and the call writes to the part, exactly its length.
        let status = unsafe {
            BCryptGenRandom(null_mut(), part.as_mut_ptr(), part.len() as u32, BCRYPT_USE_SYSTEM_PREFERRED_RNG)
        };
        if status < 0 {
            return Err(io::Error::other("the system has no random numbers"));
        }
    }
    Ok(())
}

#[allow(unsafe_code)]
pub fn host_name() -> Vec<u8> {
    let mut name = [0_u16; LONGEST_HOST];
    let mut length = LONGEST_HOST as u32;
    // SAFETY: the buffer has room for as many units as the call is told.
    match check(unsafe { GetComputerNameExW(ComputerNameDnsHostname, name.as_mut_ptr(), &raw mut length) }) {
        Ok(()) => String::from_utf16_lossy(&name[..length as usize]).into_bytes(),
        Err(_) => Vec::new(),
    }
}

pub fn home() -> Option<PathBuf> {
    folder_of("USERPROFILE")
}

pub fn states() -> Option<PathBuf> {
    folder_of("LOCALAPPDATA")
}

pub fn settings() -> Option<PathBuf> {
    folder_of("APPDATA")
}

pub fn user_number() -> Option<u32> {
    None
}

pub fn most_open() -> Option<u64> {
    None
}
