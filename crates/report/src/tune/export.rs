//! The tuned values in the forms that engines and other tools take.

use dyno_tournament::tune::TuneResult;
use std::fmt::Write as _;

/// `setoption` lines.
#[must_use]
pub fn setoptions(result: &TuneResult) -> String {
    result.recommended().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "setoption name {name} value {value}");
        text
    })
}

/// The parameters as a file for the next tuning, which starts where this one ended.
#[must_use]
pub fn toml(result: &TuneResult) -> String {
    let mut text = String::new();
    for (parameter, found) in result.tuning.parameters.iter().zip(&result.parameters) {
        let quoted = serde_json::Value::from(parameter.name.as_str());
        let _ = writeln!(
            text,
            "[[parameter]]\nname = {quoted}\nstart = {:?}\nmin = {:?}\nmax = {:?}",
            found.late_mean, parameter.min, parameter.max
        );
        if parameter.scale != 1.0 {
            let _ = writeln!(text, "scale = {:?}", parameter.scale);
        }
        for (name, step) in [("c_end", parameter.c_end), ("r_end", parameter.r_end)] {
            if let Some(step) = step {
                let _ = writeln!(text, "{name} = {step:?}");
            }
        }
        text.push('\n');
    }
    text
}

/// OpenBench's lines: `name, int, value, min, max, c_end, r_end`, in steps of the option.
#[must_use]
pub fn openbench(result: &TuneResult) -> String {
    let mut text = String::new();
    for (parameter, (name, value)) in result.tuning.parameters.iter().zip(result.recommended()) {
        let r_end = parameter.r_end.unwrap_or_else(|| result.tuning.r_end());
        let scale = parameter.scale;
        let _ = writeln!(
            text,
            "{name}, int, {value}, {}, {}, {}, {r_end}",
            rounded(parameter.min * scale),
            rounded(parameter.max * scale),
            rounded(parameter.c_end() * scale)
        );
    }
    text
}

/// Without the last digits, which are only the arithmetic's.
fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

/// The path: a line for each kept iteration, a column for each parameter.
#[must_use]
pub fn csv(result: &TuneResult) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = result.tuning.parameters.iter().map(|p| p.name.clone());
    let head: Vec<String> = std::iter::once("iteration".to_owned()).chain(names).collect();
    // Writing to memory cannot fail.
    let _ = writer.write_record(head);
    for point in &result.path {
        let values = point.values.iter().map(f64::to_string);
        let _ = writer.write_record(std::iter::once(point.iteration.to_string()).chain(values));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
