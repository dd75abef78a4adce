use super::Figure;
use crate::Result;

pub(super) fn standalone(figure: &Figure) -> Result<String> {
    Ok(format!("<svg><title>{}</title></svg>", figure.title()))
}

pub(super) fn inline(figure: &Figure) -> Result<[String; 2]> {
    Ok([standalone(figure)?, standalone(figure)?])
}
