use crate::Value;
use crate::number::{short, significant};

/// An axis of a [`Figure`](crate::Figure).
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    label: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Linear,
    Log,
    Categories(Vec<String>),
}

/// A mark on an axis: where, in drawing units, and its label.
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

impl Axis {
    /// Even steps. The label should name the unit.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            kind: Kind::Linear,
        }
    }

    /// Even factors; every number must be positive.
    pub fn log(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            kind: Kind::Log,
        }
    }

    /// Named places, at x = 0, 1, 2, …
    pub fn categories<N: Into<String>>(
        label: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        Self {
            label: label.into(),
            kind: Kind::Categories(names.into_iter().map(Into::into).collect()),
        }
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn is_log(&self) -> bool {
        self.kind == Kind::Log
    }

    /// How many named places there are, if they are named.
    pub(super) fn places(&self) -> Option<usize> {
        match &self.kind {
            Kind::Categories(names) => Some(names.len()),
            _ => None,
        }
    }

    pub(super) fn holds(&self, value: f64) -> bool {
        match &self.kind {
            Kind::Linear => value.is_finite(),
            Kind::Log => value.is_finite() && value > 0.0,
            Kind::Categories(names) => (0..names.len()).any(|place| place as f64 == value),
        }
    }

    /// A number of this axis as a table shows it.
    pub(super) fn value(&self, value: f64) -> Value {
        match &self.kind {
            Kind::Categories(names) => names
                .iter()
                .enumerate()
                .find(|(place, _)| *place as f64 == value)
                .map(|(_, name)| name.as_str())
                .into(),
            _ => value.into(),
        }
    }

    /// From numbers to drawing units.
    pub(super) fn unit(&self, value: f64) -> f64 {
        if self.is_log() { value.log10() } else { value }
    }

    /// The drawn range in drawing units and its ticks, at most about `most` of them.
    pub(super) fn layout(&self, low: f64, high: f64, most: usize) -> ((f64, f64), Vec<Tick>) {
        match &self.kind {
            Kind::Categories(names) => {
                let ticks = names
                    .iter()
                    .enumerate()
                    .map(|(place, name)| Tick {
                        at: place as f64,
                        label: name.clone(),
                    })
                    .collect();
                ((-0.5, names.len() as f64 - 0.5), ticks)
            }
            Kind::Linear => linear_ticks(low, high, most),
            Kind::Log => log_ticks(low, high, most),
        }
    }
}

/// Ticks at multiples of 1, 2, 2.5 or 5 times a power of ten; the range is widened to whole steps
/// where that costs little.
fn linear_ticks(low: f64, high: f64, most: usize) -> ((f64, f64), Vec<Tick>) {
    let (low, high) = widened(low, high);
    let rough = (high - low) / most.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil();
    let digits = digits_of(step, first.abs().max(last.abs()));
    let mut ticks = Vec::new();
    let mut at = first;
    while at <= last {
        let value = at * step;
        ticks.push(Tick {
            at: value,
            label: significant(value, digits),
        });
        at += 1.0;
    }
    ((first * step, last * step), ticks)
}

/// Significant digits that tell neighbouring ticks apart.
fn digits_of(step: f64, most_steps: f64) -> usize {
    let largest = (step * most_steps).abs().max(step);
    let decades = largest.log10().floor() - step.log10().floor();
    // Two more for the second digit of a step of 2.5 and for rounding.
    (decades.max(0.0) as usize) + 2
}

fn log_ticks(low: f64, high: f64, most: usize) -> ((f64, f64), Vec<Tick>) {
    let (low, high) = widened(low, high);
    let pad = 0.03 * (high - low);
    let (from, to) = (low - pad, high + pad);
    let decades: Vec<f64> = whole_between(from, to);
    let mut ticks = Vec::new();
    if decades.len() >= 2 {
        let stride = decades.len().div_ceil(most.max(2));
        for &power in decades
            .iter()
            .rev()
            .step_by(stride)
            .collect::<Vec<_>>()
            .iter()
            .rev()
        {
            ticks.push(Tick {
                at: *power,
                label: power_of_ten(*power),
            });
        }
    } else {
        // Less than two decades: also 2 and 5 times the powers.
        for power in whole_between(from.floor(), to) {
            for factor in [1.0, 2.0, 5.0] {
                let at = power + f64::log10(factor);
                if at >= from && at <= to {
                    ticks.push(Tick {
                        at,
                        label: short(factor * 10f64.powf(power)),
                    });
                }
            }
        }
    }
    if ticks.len() < 2 {
        // A range so narrow that no round number falls in it: name its ends.
        ticks = [low, high]
            .map(|at| Tick {
                at,
                label: short(10f64.powf(at)),
            })
            .into();
    }
    ((from, to), ticks)
}

fn whole_between(from: f64, to: f64) -> Vec<f64> {
    let mut out = Vec::new();
    let mut power = from.ceil();
    while power <= to {
        out.push(power);
        power += 1.0;
    }
    out
}

/// A range of some width, also for a single value.
fn widened(low: f64, high: f64) -> (f64, f64) {
    if high - low > 1e-12 * low.abs().max(high.abs()) {
        (low, high)
    } else {
        let reach = if low == 0.0 { 1.0 } else { low.abs() * 0.1 };
        (low - reach, high + reach)
    }
}

fn power_of_ten(power: f64) -> String {
    if (0.0..=3.0).contains(&power) {
        return short(10f64.powf(power));
    }
    let mut out = "10".to_owned();
    for c in format!("{power:.0}").chars() {
        out.push(match c {
            '-' => '⁻',
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            _ => '⁹',
        });
    }
    out
}
