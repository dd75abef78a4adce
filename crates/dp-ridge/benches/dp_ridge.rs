//! Hot paths: statistics, fits, calibration, noise. The elements of `gram` are floating-point
//! operations (`2nd²` a pass), those of `erm_newton` rows, those of `discrete_gaussian` draws.

#![expect(clippy::expect_used, reason = "inputs are valid by construction")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dp_ridge::baselines::AdaSsp;
use dp_ridge::faer::{MatRef, Par};
use dp_ridge::{
    Bounds, Budget, Calibration, Clip, DiscreteGaussian, DpRegressor, ErmSpec, Floor, Insecure,
    Ledger, Logistic, Neighbor, Relation, RidgeSpec, Spectrum, SuffStats, Training,
    calibration::analytic_multiplier,
};
use papercrates_numeric::streams::{Streams, fill_normal};
use std::hint::black_box;

const BOUNDS: Bounds = Bounds {
    x_norm: 1.0,
    y_abs: 1.0,
};

/// Rows of norm about 0.9, so that some are clipped, row-major; labels 0 and 1.
struct Rows {
    x: Vec<f64>,
    y: Vec<f64>,
    d: usize,
}

impl Rows {
    fn new(n: usize, d: usize) -> Self {
        let mut x = vec![0.0; n * d];
        fill_normal(&mut Streams::new(1).child("rows").rng(), &mut x);
        let scale = 0.9 / (d as f64).sqrt();
        x.iter_mut().for_each(|v| *v *= scale);
        let y = x
            .chunks_exact(d)
            .map(|r| f64::from(u8::from(r[0] > 0.0)))
            .collect();
        Self { x, y, d }
    }

    fn x(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.x, self.y.len(), self.d)
    }

    fn training(&self) -> Training<'_> {
        Training::from_rows(self.x(), &self.y, BOUNDS, Clip::Clip, Par::Seq).expect("valid rows")
    }
}

fn gram(c: &mut Criterion) {
    let mut group = c.benchmark_group("gram");
    group.sample_size(10);
    for (n, d) in [(100_000, 10), (100_000, 50), (20_000, 200)] {
        let rows = Rows::new(n, d);
        group.throughput(Throughput::Elements((2 * n * d * d) as u64));
        group.bench_function(BenchmarkId::from_parameter(format!("{n},{d}")), |b| {
            b.iter(|| {
                let mut stats = SuffStats::new(d, BOUNDS, Clip::Clip).expect("valid bounds");
                (stats.push_batch(rows.x(), &rows.y, Par::Seq)).expect("valid rows");
                stats
            });
        });
    }
}

fn solve_path(c: &mut Criterion) {
    let rows = Rows::new(20_000, 50);
    let spectrum = Spectrum::of(rows.training().stats(), Neighbor::ReplaceOne).expect("finite");
    let grid: Vec<RidgeSpec> = (0..10_000)
        .map(|i| {
            let (alpha, floor) = (i / 100, i % 100);
            let level = |step: i32| 10f64.powf(-4.0 + 0.05 * f64::from(step));
            RidgeSpec::new(level(alpha)).floor(Floor::Spectral(level(floor)))
        })
        .collect();
    let mut group = c.benchmark_group("solve_path");
    group.sample_size(10);
    group.throughput(Throughput::Elements(grid.len() as u64));
    group.bench_function("10000,50", |b| {
        b.iter(|| {
            for spec in &grid {
                black_box(spectrum.fit(spec).expect("a valid specification"));
            }
        });
    });
}

fn analytic_sigma(c: &mut Criterion) {
    c.bench_function("analytic_sigma", |b| {
        b.iter(|| analytic_multiplier(black_box(budget())).expect("a valid budget"));
    });
}

fn discrete_gaussian(c: &mut Criterion) {
    let mut group = c.benchmark_group("discrete_gaussian");
    group.throughput(Throughput::Elements(1));
    for log2_variance in [0, 14, 40] {
        let law = DiscreteGaussian::new(1 << log2_variance, 1).expect("a valid variance");
        let mut rng = Insecure::seeded(1);
        group.bench_function(
            BenchmarkId::from_parameter(format!("2^{log2_variance}")),
            |b| {
                b.iter(|| law.sample(&mut rng));
            },
        );
    }
}

fn erm_newton(c: &mut Criterion) {
    let (n, d) = (120_000, 10);
    let rows = Rows::new(n, d);
    let training = rows.training();
    let spec = ErmSpec::new(Logistic, 1e-3, 20.0);
    let mut group = c.benchmark_group("erm_newton");
    group.sample_size(10);
    group.throughput(Throughput::Elements(n as u64));
    group.bench_function(BenchmarkId::from_parameter(format!("{n},{d}")), |b| {
        b.iter(|| spec.solve(&training, Par::Seq).expect("convergence"));
    });
}

fn adassp(c: &mut Criterion) {
    let rows = Rows::new(20_000, 50);
    let training = rows.training();
    let method = AdaSsp::default();
    let mut rng = Insecure::seeded(1);
    c.bench_function("adassp/50", |b| {
        b.iter(|| {
            let mut ledger = Ledger::open(budget(), Calibration::Analytic, Relation::AddRemove)
                .expect("a valid budget");
            (method.fit(&training, &mut ledger, &mut rng)).expect("a release")
        });
    });
}

fn budget() -> Budget {
    Budget {
        epsilon: 1.0,
        delta: 1e-6,
    }
}

criterion_group!(
    benches,
    gram,
    solve_path,
    analytic_sigma,
    discrete_gaussian,
    erm_newton,
    adassp
);
criterion_main!(benches);
