//! From a figure to SVG text.

use std::fmt::Write;

use super::canvas::Canvas;
use super::frame::Frame;
use super::palette::{self, PAPER};
use super::plot;
use super::{Error, Figure, Result};
use crate::escape::escaped;

/// Width and height in pixels.
const WIDE: (f64, f64) = (720.0, 420.0);
/// For a telephone held upright.
const NARROW: (f64, f64) = (340.0, 340.0);

pub(super) fn standalone(figure: &Figure) -> Result<String> {
    let head = format!(
        "<title>{}</title>\n<desc>{}</desc>\n<style>{}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        escaped(&figure.title),
        escaped(&figure.alt),
        palette::dark_rules(""),
        palette::hex(PAPER.light),
    );
    drawn(figure, WIDE, "", &head)
}

pub(super) fn inline(figure: &Figure) -> Result<[String; 2]> {
    Ok([
        drawn(figure, WIDE, " class=\"wide\"", "")?,
        drawn(figure, NARROW, " class=\"narrow\"", "")?,
    ])
}

fn drawn(figure: &Figure, size: (f64, f64), attributes: &str, head: &str) -> Result<String> {
    let bad = |error: &dyn std::fmt::Display| Error::BadFigure {
        id: figure.id.clone(),
        reason: format!("cannot be drawn: {error}"),
    };
    let frame = Frame::new(figure, size);
    let (width, height) = (size.0, frame.height());
    let mut body = String::new();
    {
        let canvas = Canvas::new(&mut body, width, height);
        plot::all(figure, &frame, &canvas).map_err(|e| bad(&e))?;
        canvas.finish().map_err(|e| bad(&e))?;
    }
    // The backend's own opening tag knows neither names nor a size apart from its view box.
    let (_, inside) = body
        .split_once('\n')
        .ok_or_else(|| bad(&"the drawing is empty"))?;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\"{attributes} role=\"img\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {:.0} {:.0}\">",
        escaped(&figure.alt),
        width * 10.0,
        height * 10.0,
    );
    out.push_str(head);
    out.push_str(inside);
    Ok(out)
}
