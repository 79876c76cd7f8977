//! The machine a run was made on.

use serde::{Deserialize, Serialize};

/// What is worth knowing about the machine when two runs are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The operating system: `linux`, `windows`, `macos`.
    pub os: String,
    /// The architecture: `x86_64`, `aarch64`.
    pub arch: String,
    /// The processor's name, where the system gives it.
    pub cpu: Option<String>,
    /// Processors this process may use.
    pub cores: usize,
    /// Main memory in mebibytes, where the system gives it.
    pub memory_mb: Option<u64>,
}

impl Machine {
    /// This machine.
    #[must_use]
    pub fn this() -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        Self {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            cpu: cpu_name(&read("/proc/cpuinfo")),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mb: memory_mb(&read("/proc/meminfo")),
        }
    }
}

/// The value of a line `name : value`.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

/// The first processor's name; ARM systems say `Model` of the board instead.
fn cpu_name(cpuinfo: &str) -> Option<String> {
    let name = value(cpuinfo, "model name").or_else(|| value(cpuinfo, "Model"))?;
    let name = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

fn memory_mb(meminfo: &str) -> Option<u64> {
    let kilobytes: u64 = value(meminfo, "MemTotal")?.split(' ').next()?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says() {
        let cpuinfo =
            "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)   CPU @ 2 GHz\n";
        assert_eq!(cpu_name(cpuinfo).as_deref(), Some("Intel(R) Xeon(R) CPU @ 2 GHz"));
        assert_eq!(cpu_name("Model\t: Raspberry Pi 4\n").as_deref(), Some("Raspberry Pi 4"));
        assert_eq!(cpu_name(""), None);
        assert_eq!(memory_mb("MemTotal:        2048000 kB\n"), Some(2000));
        assert_eq!(memory_mb("MemTotal: lots\n"), None);
    }
}
