//! The exact discrete Gaussian. Source: its definition `P(k) ∝ exp(−k²/(2σ²))`, summed in 50-digit
//! arithmetic, on a million draws of a fixed seed.

use crate::support::{assert_close, ledger, stats_of, unit};
use dp_ridge::{
    Calibration, DiscreteGaussian, Floor, Insecure, Mu, Noise, Release, RidgeSpec, release,
};
use papercrates_numeric::stats::chi_square;

const DRAWS: usize = 1_000_000;

/// Chi-square against the definition (a rounded continuous Gaussian, a doubled zero or a variance
/// off by 1 % all give p < 1e-12), and the variance within five standard errors.
fn check(numerator: u64, denominator: u64, p_zero: Option<f64>, variance: f64) {
    let parameter = numerator as f64 / denominator as f64;
    let weight = |k: i64| (-(k * k) as f64 / (2.0 * parameter)).exp();
    let reach = (4.0 * parameter.sqrt()).ceil() as i64;
    let far = 40 * (reach + 10);
    let total: f64 = (-far..=far).map(weight).sum();
    if let Some(p) = p_zero {
        assert_close(1.0 / total, p, 1e-11);
    }
    // Cells −reach..=reach and the two tails, where each expects at least 5.
    let cells: Vec<i64> = (-reach..=reach)
        .filter(|k| weight(*k) / total * DRAWS as f64 >= 5.0)
        .collect();
    let (first, last) = (cells[0], cells[cells.len() - 1]);
    let law = DiscreteGaussian::new(numerator, denominator).unwrap();
    let mut rng = Insecure::seeded(20_260_101);
    let mut observed = vec![0.0; cells.len() + 1];
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..DRAWS {
        let k = law.sample(&mut rng);
        let cell = if (first..=last).contains(&k) {
            (k - first) as usize
        } else {
            cells.len()
        };
        observed[cell] += 1.0;
        sum += k as f64;
        squares += (k * k) as f64;
    }
    let mut expected: Vec<f64> = cells
        .iter()
        .map(|k| weight(*k) / total * DRAWS as f64)
        .collect();
    expected.push(DRAWS as f64 - expected.iter().sum::<f64>());
    if expected[cells.len()] < 5.0 {
        // Too little outside: count it with the last cell.
        let (e, o) = (expected.pop().unwrap(), observed.pop().unwrap());
        *expected.last_mut().unwrap() += e;
        *observed.last_mut().unwrap() += o;
    }
    let test = chi_square(&observed, &expected).unwrap();
    assert!(test.p_value > 1e-4, "{test:?} at σ² = {parameter}");
    let n = DRAWS as f64;
    let fourth: f64 = (-far..=far)
        .map(|k| (k as f64).powi(4) * weight(k) / total)
        .sum();
    let error = ((fourth - variance * variance) / n).sqrt();
    assert!((squares / n - variance).abs() < 5.0 * error);
    assert!((sum / n).abs() < 5.0 * (variance / n).sqrt());
}

#[test]
fn parameter_one_half() {
    check(1, 4, Some(0.78657070704195), 0.21501267508814);
}

#[test]
fn parameter_one() {
    check(1, 1, Some(0.39894227826686), 0.99999978876773);
}

#[test]
fn parameter_ten() {
    check(100, 1, Some(0.039894228040143), 100.0);
}

/// At the scale of a release (σ = 2^20 grid steps): normal to what 20 000 draws can tell.
#[test]
fn parameter_of_a_release() {
    let law = DiscreteGaussian::new(1 << 40, 1).unwrap();
    let mut rng = Insecure::seeded(7);
    let draws: Vec<f64> = (0..20_000)
        .map(|_| law.sample(&mut rng) as f64 / (1u64 << 20) as f64)
        .collect();
    let test =
        papercrates_numeric::stats::ks_one_sample(&draws, papercrates_numeric::special::normal_cdf)
            .unwrap();
    assert!(test.p_value > 1e-4, "{test:?}");
}

fn discrete_release(log2_grid: i32, share: Mu, seed: u64) -> Release {
    let records: Vec<_> = (0..200)
        .map(|i| (vec![0.6, f64::from(i % 5) * 0.1], 0.5))
        .collect();
    let stats = stats_of(&records, 2, unit());
    let mut l = ledger(1.0, 1e-6, Calibration::Zcdp);
    let spec = RidgeSpec::new(0.1).floor(Floor::Spectral(0.2));
    let noise = Noise::Discrete { log2_grid };
    let mut rng = Insecure::seeded(seed);
    release(&spec, &stats, share, noise, &mut l, &mut rng).unwrap()
}

/// Coefficients are multiples of the grid, and the noise pays for rounding to it:
/// `σ ≥ (Δ + γ√d)/μ`, `σ²/γ²` an integer.
#[test]
fn a_discrete_release_stays_on_its_grid_and_pays_for_it() {
    for log2_grid in [-26, -20, -10, -3, 0, 3] {
        let r = discrete_release(log2_grid, Mu::Fraction(0.25), 3);
        let grid = f64::from(log2_grid).exp2();
        for c in &r.coef {
            assert_eq!((c / grid).fract(), 0.0, "{c} is off the grid {grid}");
        }
        let mu = (0.25 * 0.2207078175305f64.powi(2)).sqrt();
        let needed = (r.sensitivity.unwrap().value + grid * 2f64.sqrt()) / mu;
        let sigma = r.sigma.unwrap();
        assert!(sigma >= needed, "{sigma} below {needed}");
        // Rounded up to the next integer variance in grid steps, no further.
        let steps = (sigma / grid).powi(2);
        assert!((steps - steps.round()).abs() < 1e-6 * steps && steps >= 1.0);
        assert!(steps <= (needed / grid).powi(2) * (1.0 + 1e-8) + 1.0 + 1e-6);
    }
}

/// The default grid is `2^⌊log₂(2⁻²⁰ Δ/μ)⌋`.
#[test]
fn default_grid() {
    for (sensitivity, mu, log2_grid) in [
        (1.0, 1.0, -20),
        (3.0, 1.0, -19),
        (0.05, 0.2, -22),
        (1e-3, 0.25, -28),
    ] {
        assert_eq!(
            Noise::default_grid(sensitivity, mu),
            Noise::Discrete { log2_grid }
        );
    }
}
