//! From a table to a private model card and a prediction.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use dp_ridge::faer::Par;
use dp_ridge::io::data::csv::{CsvOptions, CsvRows};
use dp_ridge::io::{data::sets, summarize};
use dp_ridge::{
    Budget, Calibration, DecoupledRidge, FeatureRange, Ledger, Limits, ModelCard, Preparation,
    Relation, SecureRng, TargetRange,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What a code book says about each quantity; never what the data say.
    let limits = vec![
        Limits::new(0.0, 600.0)?,
        Limits::new(100.0, 300.0)?,
        Limits::new(0.0, 365.0)?,
    ];
    let strength = TargetRange::Limits(Limits::new(0.0, 100.0)?);
    let preparation = Preparation::new(3, FeatureRange::Limits(limits), strength)?;

    let csv = sets::concrete()?.provenance.csv;
    let mut rows = CsvRows::new(csv.as_bytes(), "concrete.csv", &CsvOptions::default())?;
    let features = ["cement", "water", "age"].map(String::from);
    let target = "compressive_strength";
    let stats = summarize(&mut rows, &features, target, &preparation, Par::rayon(0))?;

    let budget = Budget::new(1.0, 1e-6)?;
    let mut ledger = Ledger::open(budget, Calibration::Zcdp, Relation::ReplaceOne)?;
    let method = DecoupledRidge {
        discrete: true,
        ..DecoupledRidge::default()
    };
    let release = method.fit_stats(&stats, &mut ledger, &mut SecureRng::from_os()?)?;
    let card = ModelCard::new(release, preparation, features.into(), target.into())?;

    println!("{}", card.privacy);
    for c in &card.coefficients {
        println!("{:>8} {:8.3}", c.feature, c.value);
    }
    let prediction = card.predict(&[300.0, 180.0, 28.0], &mut Vec::new())?;
    println!("300 kg/m³ cement, 180 kg/m³ water, 28 days: {prediction:.0} MPa");
    Ok(())
}
