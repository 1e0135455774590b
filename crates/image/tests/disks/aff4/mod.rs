//! AFF4: images by hand, by pyaff4 and of the standard; whole, damaged and hostile.

mod hostile;
mod make;
mod pyaff4;
mod reference;
mod whole;
