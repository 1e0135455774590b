#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hashloom_fuzz::kernels::lanes(data));
