//! Plotters' SVG backend in fractions of a pixel.

use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Text};
use plotters::prelude::{DrawingArea, DrawingBackend, IntoDrawingArea, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle};

/// Drawing units a pixel: plotters only knows whole units.
const FINE: f64 = 10.0;

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<<SVGBackend<'static> as DrawingBackend>::ErrorType>>;

/// A place in pixels from the upper left corner.
pub(super) type Place = (f64, f64);

/// Where a text sits against its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    /// To the right of it, vertically centred.
    Start,
    /// To the left of it, vertically centred.
    End,
    /// Below it, horizontally centred.
    Below,
    /// Above and to the left of it.
    AboveEnd,
    /// Turned to read upwards, ending at it.
    Upwards,
}

pub(super) struct Canvas<'a> {
    area: Area<'a>,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(buffer: &'a mut String, width: f64, height: f64) -> Self {
        let size = (fine(width) as u32, fine(height) as u32);
        Self {
            area: SVGBackend::with_string(buffer, size).into_drawing_area(),
        }
    }

    pub(super) fn line(&self, points: &[Place], colour: RGBColor, width: f64) -> Drawn {
        let path: Vec<_> = points.iter().copied().map(whole).collect();
        self.area
            .draw(&PathElement::new(path, stroke(colour, width)))
    }

    pub(super) fn dashed(&self, from: Place, to: Place, colour: RGBColor, width: f64) -> Drawn {
        let path = [whole(from), whole(to)];
        self.area.draw(&DashedPathElement::new(
            path,
            fine(5.0),
            fine(4.0),
            stroke(colour, width),
        ))
    }

    pub(super) fn fill(&self, corners: &[Place], colour: RGBColor, opacity: f64) -> Drawn {
        let path: Vec<_> = corners.iter().copied().map(whole).collect();
        self.area
            .draw(&Polygon::new(path, colour.mix(opacity).filled()))
    }

    pub(super) fn disc(&self, centre: Place, radius: f64, colour: RGBColor) -> Drawn {
        self.area
            .draw(&Circle::new(whole(centre), fine(radius), colour.filled()))
    }

    pub(super) fn text(
        &self,
        text: &str,
        at: Place,
        anchor: Anchor,
        size: f64,
        colour: RGBColor,
    ) -> Drawn {
        if text.is_empty() {
            return Ok(());
        }
        // The backend divides by 1.24, which would be right for pixel heights.
        let font = ("sans-serif", f64::from(fine(size)) * 1.24).into_font();
        let (h, v, font) = match anchor {
            Anchor::Start => (HPos::Left, VPos::Center, font),
            Anchor::End => (HPos::Right, VPos::Center, font),
            Anchor::Below => (HPos::Center, VPos::Top, font),
            Anchor::AboveEnd => (HPos::Right, VPos::Bottom, font),
            Anchor::Upwards => (
                HPos::Right,
                VPos::Center,
                font.transform(FontTransform::Rotate270),
            ),
        };
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(h, v));
        self.area
            .draw(&Text::new(text.to_owned(), whole(at), style))
    }

    pub(super) fn finish(&self) -> Drawn {
        self.area.present()
    }
}

/// About how wide a text is in pixels, on the safe side for sans-serif faces.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let widths = text.chars().map(|c| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | ' ' | '.' | ',' | ':' | '\'' | '(' | ')' => 0.38,
        'm' | 'w' | 'M' | 'W' | '%' | '=' | '×' | '≤' | '≥' => 0.88,
        c if c.is_ascii_digit() || c.is_uppercase() => 0.66,
        _ => 0.59,
    });
    widths.sum::<f64>() * size
}

fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    colour.stroke_width(fine(width) as u32)
}

fn fine(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
}

fn whole((x, y): Place) -> (i32, i32) {
    (fine(x), fine(y))
}
