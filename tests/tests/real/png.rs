//! PNG made by librsvg: the picture of the SVG in its light colours, with twice as many pixels a side.

use std::time::Duration;

use mealybug::demo_lock::DemoLock;
use mealybug::picture;
use mealybug_tests::needs::{Need, all_there};

const NEEDS: &[Need] = &[Need { what: "rsvg-convert", package: "librsvg2-bin" }];

/// Where the header of a PNG has its width and its height.
const SIZE: usize = 16;

#[test]
fn a_png_is_the_light_picture() {
    if !all_there("a PNG", NEEDS) {
        return;
    }
    let png = |svg: String| picture::png(svg, Duration::from_secs(60)).expect("a picture");
    let svg = picture::svg(&DemoLock::machine(), None).expect("28 states are few enough");
    let image = png(svg.clone());
    assert!(image.starts_with(b"\x89PNG\r\n"));
    let number = |at: usize| {
        let bytes = image[at..at + 4].try_into().expect("four bytes");
        u32::from_be_bytes(bytes)
    };
    let attribute = |name: &str| -> u32 {
        let (_, rest) = svg.split_once(name).expect("an attribute");
        rest.split('"').next().expect("a value").parse().expect("a number")
    };
    assert_eq!(number(SIZE), 2 * attribute(" width=\""));
    assert_eq!(number(SIZE + 4), 2 * attribute(" height=\""));
    // Colours come from the style sheet, and of its two parts only the light one counts.
    let (head, rest) = svg.split_once("@media").expect("dark colours");
    let (_, tail) = rest.split_once("}\n}\n").expect("their end");
    assert!(png(format!("{head}{tail}")) == image, "as if there were no dark colours");
    let plain = svg.replace("#e3f0e4", "#f4f6f8");
    assert!(png(plain) != image, "the initial state is green");
}
