//! Virtual disks: made by QEMU and by hand, whole, damaged and hostile.

mod aff4;
mod damage;
mod differential;
mod hostile;
mod make;
mod qcow2;
mod util;
mod vhd;
mod vhdx;
mod vmdk;
