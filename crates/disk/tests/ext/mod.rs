//! ext2, ext3 and ext4, compared with what made the images and with other programs that read them.

mod damage;
mod facts;
mod mounted;
mod populated;
mod programs;
mod sleuthkit;
mod trees;
