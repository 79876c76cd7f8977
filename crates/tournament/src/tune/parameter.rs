//! What is tuned: names, ranges, step sizes, and the files they come from.

use serde::{Deserialize, Serialize};

/// A number that an engine exposes as an option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The option's name.
    pub name: String,
    /// Where the tuning starts.
    #[serde(alias = "value")]
    pub start: f64,
    /// The least value that makes sense.
    pub min: f64,
    /// The greatest one.
    pub max: f64,
    /// How far the two sides are from the middle at the end; a fifth of the range by default. The
    /// customary twentieth measures mostly noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c_end: Option<f64>,
    /// The learning rate at the end; by default from the number of pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r_end: Option<f64>,
    /// The option is an integer that stands for the value times this.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_one(scale: &f64) -> bool {
    *scale == 1.0
}

/// The share of the range that the two sides are from the middle, unless the user says otherwise.
const C_OF_RANGE: f64 = 0.2;

/// Why a parameter cannot be tuned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// Not of the form that was asked for.
    #[error("{0}: expected NAME=MIN..MAX or NAME=START@MIN..MAX")]
    Form(String),
    /// A line of a file.
    #[error("{file}:{line}: {reason}")]
    Line {
        /// The file.
        file: String,
        /// Its line.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A range or a step that makes no sense.
    #[error("parameter {name}: {reason}")]
    Value {
        /// The parameter.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A number of games that is none.
    #[error("{0} must be greater than 0")]
    NotPositive(&'static str),
    /// Two of the same name.
    #[error("parameter {0} is given twice")]
    Twice(String),
    /// Nothing to tune.
    #[error(
        "no parameter to tune: give --param NAME=MIN..MAX, --params FILE or --params-from PATTERN"
    )]
    None,
}

impl Parameter {
    /// Reads `NAME=MIN..MAX`, or `NAME=START@MIN..MAX`. Without a start the option's default is
    /// meant, which only the engine knows: it is NaN until then.
    pub fn parse(text: &str) -> Result<Self, ParameterError> {
        let form = || ParameterError::Form(text.to_owned());
        let (name, range) = text.split_once('=').ok_or_else(form)?;
        let (start, range) = match range.split_once('@') {
            Some((start, range)) => (start.trim().parse().map_err(|_| form())?, range),
            None => (f64::NAN, range),
        };
        let (min, max) = range.split_once("..").ok_or_else(form)?;
        let number = |text: &str| text.trim().parse().map_err(|_| form());
        Ok(Self {
            name: name.trim().to_owned(),
            start,
            min: number(min)?,
            max: number(max)?,
            c_end: None,
            r_end: None,
            scale: 1.0,
        })
    }

    /// How far the two sides are from the middle at the end: at least half a step of the option,
    /// or both sides could round to the same value.
    #[must_use]
    pub fn c_end(&self) -> f64 {
        self.c_end.unwrap_or(C_OF_RANGE * (self.max - self.min)).max(0.5 / self.scale)
    }

    /// The option's integer nearest to a value.
    #[must_use]
    pub fn option_steps(&self, value: f64) -> i64 {
        let (low, high) = self.steps();
        ((value * self.scale).round() as i64).clamp(low, high)
    }

    /// The values of the range in steps of the option.
    pub(super) fn steps(&self) -> (i64, i64) {
        let (low, high) = (self.min * self.scale, self.max * self.scale);
        (whole(low).unwrap_or(low.ceil()) as i64, whole(high).unwrap_or(high.floor()) as i64)
    }

    fn check(&self) -> Result<(), ParameterError> {
        let wrong = |reason: String| ParameterError::Value { name: self.name.clone(), reason };
        let Self { start, min, max, .. } = self;
        if self.name.is_empty() {
            return Err(wrong("it has no name".into()));
        }
        if !(min.is_finite() && max.is_finite() && min < max) {
            return Err(wrong(format!("the range {min}..{max} is empty")));
        }
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(wrong(format!("the scale {} is not positive", self.scale)));
        }
        let (low, high) = self.steps();
        if low >= high {
            return Err(wrong(format!("no two values of the option lie in {min}..{max}")));
        }
        if !(start >= min && start <= max) {
            return Err(wrong(format!("it starts at {start}, outside of {min}..{max}")));
        }
        for (label, step) in [("c_end", self.c_end), ("r_end", self.r_end)] {
            if step.is_some_and(|step| !step.is_finite() || step <= 0.0) {
                return Err(wrong(format!("{label} must be positive")));
            }
        }
        Ok(())
    }

    /// Whether these can be tuned together.
    pub fn check_all(parameters: &[Self]) -> Result<(), ParameterError> {
        if parameters.is_empty() {
            return Err(ParameterError::None);
        }
        for (index, parameter) in parameters.iter().enumerate() {
            parameter.check()?;
            let same = |other: &Self| other.name.eq_ignore_ascii_case(&parameter.name);
            if parameters[..index].iter().any(same) {
                return Err(ParameterError::Twice(parameter.name.clone()));
            }
        }
        Ok(())
    }
}

/// The whole number that was meant: 0.07 times 100 is 7.000000000000001 to a processor.
fn whole(value: f64) -> Option<f64> {
    let rounded = value.round();
    ((value - rounded).abs() <= 1e-9 * rounded.abs().max(1.0)).then_some(rounded)
}

/// Reads a file of parameters: TOML with `[[parameter]]` tables, or OpenBench's lines
/// `name, int, value, min, max, c_end, r_end`.
pub fn read_parameters(file: &str, text: &str) -> Result<Vec<Parameter>, ParameterError> {
    let meaningful = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let first = text.lines().find(meaningful).unwrap_or_default();
    if first.trim_start().starts_with('[') { read_toml(file, text) } else { read_lines(file, text) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterFile {
    parameter: Vec<Parameter>,
}

fn read_toml(file: &str, text: &str) -> Result<Vec<Parameter>, ParameterError> {
    let wrong = |error: toml::de::Error| {
        let before = error.span().map_or(0, |span| span.start);
        let line = 1 + text[..before.min(text.len())].matches('\n').count();
        let reason = error.message().to_owned();
        ParameterError::Line { file: file.to_owned(), line, reason }
    };
    Ok(toml::from_str::<ParameterFile>(text).map_err(wrong)?.parameter)
}

fn read_lines(file: &str, text: &str) -> Result<Vec<Parameter>, ParameterError> {
    let mut parameters = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |reason: String| ParameterError::Line {
            file: file.to_owned(),
            line: index + 1,
            reason,
        };
        parameters.push(read_line(line).map_err(wrong)?);
    }
    Ok(parameters)
}

fn read_line(line: &str) -> Result<Parameter, String> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [name, kind, value, min, max, c_end, r_end] = fields[..] else {
        let count = fields.len();
        return Err(format!(
            "{count} fields instead of 7: name, int, value, min, max, c_end, r_end"
        ));
    };
    if kind != "int" {
        return Err(format!(
            "type {kind}: only int is known; a float is tuned as an int option with a scale (TOML)"
        ));
    }
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("{text:?} is not a number"));
    Ok(Parameter {
        name: name.to_owned(),
        start: number(value)?,
        min: number(min)?,
        max: number(max)?,
        c_end: Some(number(c_end)?),
        r_end: Some(number(r_end)?),
        scale: 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lines_and_tables_are_read() {
        let given = Parameter::parse("Razor=250@100..600").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((given.start, given.min, given.max), (250.0, 100.0, 600.0));
        assert_eq!(given.c_end(), 100.0);
        assert!(Parameter::parse("Razor=100..600").is_ok_and(|p| p.start.is_nan()));
        for bad in ["Razor", "Razor=5", "Razor=a..b", "Razor=x@1..2"] {
            assert!(matches!(Parameter::parse(bad), Err(ParameterError::Form(_))), "{bad}");
        }
        let lines = "# OpenBench\nRazor, int, 250, 100, 600, 50, 0.002\n\nFutility, int, 7, 1, 20, 0.1, 0.002\n";
        let table = "[[parameter]]\nname = \"Lmr\"\nvalue = 0.8\nmin = 0.2\nmax = 2\nscale = 100\n";
        let read = |text| read_parameters("f", text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read(lines).len(), 2);
        assert_eq!(read(lines)[1].c_end(), 0.5, "never less than half a step");
        assert_eq!((read(table)[0].scale, read(table)[0].steps()), (100.0, (20, 200)));
        let odd = table.replace("0.2", "0.07").replace("max = 2", "max = 0.29");
        assert_eq!(read(&odd)[0].steps(), (7, 29), "0.07 and 0.29 times 100 are not quite whole");
        assert_eq!(read(&odd)[0].option_steps(0.07), 7);
        let between = odd.replace("0.07", "0.071").replace("0.29", "0.289");
        assert_eq!(read(&between)[0].steps(), (8, 28));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let error = |text| match read_parameters("p.txt", text) {
            Ok(read) => panic!("{read:?}"),
            Err(error) => error.to_string(),
        };
        assert!(error("a, int, 1, 0, 2, 1, 1\nb, int, 1\n").starts_with("p.txt:2: 3 fields"));
        assert!(error("a, float, 1, 0, 2, 1, 1").contains("type float"));
        assert!(error("a, int, x, 0, 2, 1, 1").contains("\"x\" is not a number"));
        assert!(error("[[parameter]]\nname = \"a\"\nvalue = 1\nmni = 0\n").starts_with("p.txt:"));
        let check = |text: &str| {
            let parameters = [Parameter::parse(text).unwrap_or_else(|e| panic!("{e}"))];
            match Parameter::check_all(&parameters) {
                Ok(()) => panic!("{text} was accepted"),
                Err(error) => error.to_string(),
            }
        };
        assert!(check("a=7@1..5").contains("starts at 7, outside of 1..5"));
        assert!(check("a=1@5..1").contains("empty"));
        assert!(check("a=1.2@1.1..1.9").contains("no two values"));
        let twice = [Parameter::parse("a=1@0..5"), Parameter::parse("A=1@0..5")];
        let twice: Vec<Parameter> = twice.into_iter().flatten().collect();
        assert_eq!(Parameter::check_all(&twice), Err(ParameterError::Twice("A".into())));
        assert_eq!(Parameter::check_all(&[]), Err(ParameterError::None));
    }
}
