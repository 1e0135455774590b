//! Processor time of all programs and of this one.

use crate::load::Load;
use std::fs;

/// Returns the current values; `None` if the system does not provide them.
pub(crate) fn load() -> Option<Load> {
    let all = fs::read_to_string("/proc/stat").ok()?;
    let own = fs::read_to_string("/proc/self/stat").ok()?;
    parse(&all, &own)
}

/// Parses `/proc/stat` and `/proc/PID/stat`, proc(5).
fn parse(all: &str, own: &str) -> Option<Load> {
    let all = numbers(all.lines().next()?.strip_prefix("cpu ")?);
    // The name of the program, in parentheses, may contain any characters.
    let own = numbers(own.rsplit_once(')')?.1);
    let [user, nice, system, _, _, irq, softirq, stolen, ..] = all[..] else { return None };
    // After the name come the state and then fields 4 to 17, the last four of which are times.
    let times = own.get(10..14)?;
    Some(Load { busy: user + nice + system + irq + softirq, own: times.iter().sum(), stolen })
}

/// Converts times in the kernel's unit (USER_HZ, 100 per second on every supported architecture of Linux) to seconds.
fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).map(|ticks| ticks / 100.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_files_are_understood() {
        let all = "cpu  100 20 30 4000 50 6 7 8 0 0\ncpu0 1 2 3\n";
        let own = "12 (a ) b) R 1 2 3 4 5 6 7 8 9 10 110 220 330 440 20 0 1 0 5\n";
        let load = parse(all, own).unwrap();
        let hundredths = [load.busy, load.own, load.stolen].map(|seconds| (seconds * 100.0).round());
        assert_eq!(hundredths, [163.0, 1100.0, 8.0]);
        assert_eq!(parse("cpu  1 2\n", own), None);
        assert_eq!(parse(all, "12 (a) R 1 2\n"), None);
    }
}
