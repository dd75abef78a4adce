//! Colours that colour-blind readers tell apart, each in a light and a dark shade.
//!
//! Drawings carry the light shades as plain attributes, so that any SVG reader shows them, and
//! style rules swap each shade for its dark partner where the reader prefers dark.

use std::fmt::Write;

use plotters::style::RGBColor;

/// A colour on white and on near-black.
pub(crate) struct Shade {
    pub(crate) light: RGBColor,
    pub(crate) dark: RGBColor,
}

const fn shade(light: (u8, u8, u8), dark: (u8, u8, u8)) -> Shade {
    Shade {
        light: RGBColor(light.0, light.1, light.2),
        dark: RGBColor(dark.0, dark.1, dark.2),
    }
}

/// Text and axis lines.
pub(crate) const INK: Shade = shade((0x1e, 0x22, 0x2a), (0xe7, 0xe9, 0xee));
/// Tick labels and captions.
pub(crate) const SOFT: Shade = shade((0x5b, 0x63, 0x70), (0xa2, 0xaa, 0xb8));
/// Grid lines.
pub(crate) const GRID: Shade = shade((0xe3, 0xe6, 0xeb), (0x33, 0x39, 0x44));
/// Inside of hollow markers: the page behind the figure.
pub(crate) const PAPER: Shade = shade((0xff, 0xff, 0xff), (0x16, 0x19, 0x20));

/// The series, in order.
pub(crate) const SERIES: [Shade; 8] = [
    shade((0x1f, 0x5f, 0xa8), (0x6c, 0xb2, 0xf5)),
    shade((0xc2, 0x51, 0x0c), (0xff, 0x9d, 0x5c)),
    shade((0x0a, 0x7a, 0x5c), (0x4f, 0xd1, 0xa5)),
    shade((0xa8, 0x3a, 0x78), (0xf0, 0x8f, 0xc4)),
    shade((0x8a, 0x6a, 0x00), (0xe6, 0xc2, 0x4a)),
    shade((0x4b, 0x3f, 0x9e), (0xab, 0xa3, 0xff)),
    shade((0x2b, 0x8f, 0xa3), (0x7a, 0xd9, 0xe8)),
    shade((0x6b, 0x4a, 0x3a), (0xc9, 0xa7, 0x92)),
];

/// As SVG writes it.
pub(crate) fn hex(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// Style rules that turn drawings dark, for elements inside `scope`.
pub(crate) fn dark_rules(scope: &str) -> String {
    let mut rules = String::from("@media screen and (prefers-color-scheme:dark){");
    for shade in [&INK, &SOFT, &GRID, &PAPER].into_iter().chain(&SERIES) {
        let (light, dark) = (hex(shade.light), hex(shade.dark));
        for property in ["fill", "stroke"] {
            // Writing to a string cannot fail.
            let _ = write!(
                rules,
                "{scope}[{property}=\"{light}\"]{{{property}:{dark}}}"
            );
        }
    }
    rules.push('}');
    rules
}
