//! A claim at a glance: the interval over the region that the criterion allows.

use maud::{Markup, html};

use crate::{Criterion, Estimate};

const WIDTH: f64 = 160.0;
const HEIGHT: f64 = 22.0;
/// Space at both sides of what is shown.
const PAD: f64 = 0.14;

/// Hidden from screen readers, for whom the numbers beside it say the same.
pub(super) fn drawing(estimate: &Estimate, criterion: &Criterion) -> Markup {
    let (from, to) = criterion.region();
    let scale = Scale::over(
        [from, to]
            .into_iter()
            .chain([estimate.low(), estimate.mean(), estimate.high()])
            .filter(|value| value.is_finite()),
    );
    let (left, right) = (scale.at(from), scale.at(to));
    let (low, mean, high) = (
        scale.at(estimate.low()),
        scale.at(estimate.mean()),
        scale.at(estimate.high()),
    );
    let middle = HEIGHT / 2.0;
    html! {
        svg.strip viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) aria-hidden="true" focusable="false" {
            rect.allowed x=(round(left)) y="1" width=(round(right - left)) height=(HEIGHT - 2.0) {}
            @for limit in [from, to].into_iter().filter(|limit| limit.is_finite()) {
                @let x = round(scale.at(limit));
                line.limit x1=(x) x2=(x) y1="1" y2=(HEIGHT - 1.0) {}
            }
            line.interval x1=(round(low)) x2=(round(high)) y1=(middle) y2=(middle) {}
            circle.mean cx=(round(mean)) cy=(middle) r="4" {}
        }
    }
}

/// From values to places across; logarithmic when positive values span more than a decade.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        let log = low > 0.0 && high > 10.0 * low;
        if log {
            (low, high) = (low.ln(), high.ln());
        }
        // A single value sits in the middle.
        let reach = if high > low {
            PAD * (high - low)
        } else {
            low.abs().max(1.0) * 0.1
        };
        Self {
            low: low - reach,
            high: high + reach,
            log,
        }
    }

    fn at(&self, value: f64) -> f64 {
        // An open end has no logarithm; it is clamped to the edge.
        let value = if self.log {
            value.max(f64::MIN_POSITIVE).ln()
        } else {
            value
        };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0) * WIDTH
    }
}

fn round(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}
