//! What an XBoard engine says it can do: `feature ping=1 myname="X" option="Level -spin 3 0 9"`.

use dyno_uci::{EngineOption, OptionKind};

/// What UCI calls the option that stands for XBoard's `variant fischerandom`.
pub(super) const CHESS960: &str = "UCI_Chess960";

/// The features that matter here, at XBoard's own defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) ping: bool,
    pub(super) setboard: bool,
    pub(super) usermove: bool,
    pub(super) san: bool,
    pub(super) time: bool,
    pub(super) draw: bool,
    pub(super) memory: bool,
    pub(super) smp: bool,
    /// It can play Chess960, and whether it is to.
    pub(super) knows_chess960: bool,
    pub(super) chess960: bool,
    pub(super) name: Option<String>,
    pub(super) options: Vec<EngineOption>,
    /// `done=1` came: the list is complete.
    pub(super) done: bool,
    /// `done=0` came: the engine asks for more time.
    pub(super) needs_time: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            ping: false,
            setboard: false,
            usermove: false,
            san: false,
            time: true,
            draw: true,
            memory: false,
            smp: false,
            knows_chess960: false,
            chess960: false,
            name: None,
            options: Vec::new(),
            done: false,
            needs_time: false,
        }
    }
}

impl Features {
    /// Takes over a `feature` line and returns the names of what it set.
    pub(super) fn read(&mut self, line: &str) -> Vec<String> {
        let mut names = Vec::new();
        for (name, value) in pairs(line) {
            let on = value == "1";
            match name {
                "ping" => self.ping = on,
                "setboard" => self.setboard = on,
                "usermove" => self.usermove = on,
                "san" => self.san = on,
                "time" => self.time = on,
                "draw" => self.draw = on,
                "memory" => self.memory = on,
                "smp" => self.smp = on,
                "variants" => {
                    self.knows_chess960 = value.split(',').any(|v| v.trim() == "fischerandom");
                }
                "myname" => self.name = Some(value.to_owned()),
                "option" if self.options.len() < 1000 => self.options.extend(option(value)),
                "done" => (self.done, self.needs_time) = (on, !on),
                _ => {}
            }
            names.push(name.to_owned());
        }
        names
    }

    /// The declared options, with the memory, the cores and Chess960 under the names UCI gives
    /// them.
    pub(super) fn engine_options(&self) -> Vec<EngineOption> {
        let spin = |name: &str| EngineOption {
            name: name.to_owned(),
            kind: OptionKind::Spin { default: 1, min: 1, max: i64::from(i32::MAX) },
        };
        let mut options = self.options.clone();
        options.extend(self.memory.then(|| spin("Hash")));
        options.extend(self.smp.then(|| spin("Threads")));
        options.extend(self.knows_chess960.then(|| EngineOption {
            name: CHESS960.to_owned(),
            kind: OptionKind::Check { default: false },
        }));
        options
    }
}

/// `name=value` pairs, the value perhaps in quotes.
fn pairs(line: &str) -> Vec<(&str, &str)> {
    let mut rest = line.trim_start().strip_prefix("feature").unwrap_or(line).trim_start();
    let mut pairs = Vec::new();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        pairs.push((name.trim(), value));
        rest = next.trim_start();
    }
    pairs
}

/// `Level -spin 3 0 9`, `Style -combo a /// *b`, `Clear -button`, `Book -file x`.
fn option(text: &str) -> Option<EngineOption> {
    let (name, rest) = text.split_once(" -")?;
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let kind = match kind {
        "check" => OptionKind::Check { default: rest.trim() == "1" },
        "spin" | "slider" => {
            let mut numbers = rest.split_ascii_whitespace().filter_map(|n| n.parse().ok());
            OptionKind::Spin {
                default: numbers.next()?,
                min: numbers.next()?,
                max: numbers.next()?,
            }
        }
        "combo" => {
            let choices: Vec<&str> = rest.split("///").map(str::trim).collect();
            let marked = choices.iter().find_map(|c| c.strip_prefix('*'));
            let default = marked.or(choices.first().copied()).unwrap_or_default().to_owned();
            let choices = choices.iter().map(|c| c.trim_start_matches('*').to_owned()).collect();
            OptionKind::Combo { default, choices }
        }
        "button" | "save" | "reset" => OptionKind::Button,
        "string" | "file" | "path" => OptionKind::String { default: rest.to_owned() },
        _ => return None,
    };
    Some(EngineOption { name: name.trim().to_owned(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_real_engines_send() {
        let mut features = Features::default();
        let names = features.read(r#"feature myname="Phalanx XXV""#);
        assert_eq!(names, ["myname"]);
        features.read(
            r#"feature analyze=1 setboard=1 memory=1 draw=0 variants="normal, fischerandom" option="Randomizer (0-50) -slider 0 0 50" ping=1 "#,
        );
        features.read(r#"feature option="Kind -combo A /// *B" option="Clear -button" done=0"#);
        assert!(features.setboard && features.ping && features.memory && !features.usermove);
        assert!(features.needs_time && !features.done);
        assert_eq!(features.name.as_deref(), Some("Phalanx XXV"));
        let options = features.engine_options();
        assert_eq!(options[0].name, "Randomizer (0-50)");
        assert_eq!(options[0].kind, OptionKind::Spin { default: 0, min: 0, max: 50 });
        assert_eq!(options[1].default_text().as_deref(), Some("B"));
        assert_eq!(options[2].kind, OptionKind::Button);
        assert_eq!(options[3].name, "Hash");
        assert_eq!(options[4].name, CHESS960);
        features.read("feature done=1");
        assert!(features.done);
    }
}
