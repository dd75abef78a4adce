use super::{Draft, Output};
use crate::{Error, ModelCard, Result};

/// The coefficients of a card as CSV: `feature`, `coefficient`, `noise_low`, `noise_high` (the 95 %
/// interval of the noise, empty where the method has none) and `raw_slope`, the slope in raw units.
///
/// # Errors
/// [`Error::Io`], [`Error::Output`].
pub fn write_coefficients(card: &ModelCard, output: &Output) -> Result<()> {
    let mut draft = output.draft()?;
    write(card, &mut draft).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => super::failed(output.path(), "write", &error),
        other => Error::Io {
            path: output.path().display().to_string(),
            reason: format!("{other:?}"),
        },
    })?;
    draft.finish()
}

fn write(card: &ModelCard, draft: &mut Draft) -> csv::Result<()> {
    let mut csv = csv::Writer::from_writer(draft);
    csv.write_record([
        "feature",
        "coefficient",
        "noise_low",
        "noise_high",
        "raw_slope",
    ])?;
    for (i, coefficient) in card.coefficients.iter().enumerate() {
        let (low, high) = match coefficient.noise_interval {
            Some((low, high)) => (low.to_string(), high.to_string()),
            None => Default::default(),
        };
        // The intercept stands in raw units on its own line.
        let raw = card
            .raw_units
            .slopes
            .get(i)
            .unwrap_or(&card.raw_units.intercept);
        let value = coefficient.value.to_string();
        csv.write_record([&coefficient.feature, &value, &low, &high, &raw.to_string()])?;
    }
    csv.flush()?;
    Ok(())
}
