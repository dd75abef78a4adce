use crate::{Report, Result};

pub(crate) fn render(report: &Report) -> Result<String> {
    report.to_json()
}
