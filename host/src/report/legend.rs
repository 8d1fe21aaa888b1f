//! What the colours and lines of pictures mean.

use maud::{Markup, html};

/// The legend of pictures of one machine.
pub(super) fn legend() -> Markup {
    html! {
        ul.legend.faint {
            (of_all())
            (of_scripts())
        }
    }
}

/// The legend of a picture of two machines, with the names of both.
pub(super) fn legend_of_two([first, second]: [&str; 2]) -> Markup {
    html! {
        ul.legend.faint {
            (of_all())
            li { (rectangle("first")) (line("first")) "−, only in A: " (first) }
            li { (rectangle("second")) (line("second")) "+, only in B: " (second) }
            li { "A3 B4: state 3 of A, which is state 4 of B" }
            (of_scripts())
        }
    }
}

fn of_all() -> Markup {
    html! {
        li { (rectangle("initial")) "the initial state" }
        li { (line("")) "transitions, with inputs / output" }
        li { (line("back")) "leads back to a state nearer to the initial one" }
        li { (line("open")) "a guess" }
    }
}

/// What only scripts show.
fn of_scripts() -> Markup {
    html! {
        li.alive-only { (rectangle("chosen")) "the chosen state" }
        li.alive-only { (rectangle("now")) "the state after the word that is played" }
        li.alive-only { (rectangle("hit")) "found" }
        li.folded-only { "folded: " code { "↺ 5" } ", 5 inputs stay in the state; " code { "→ 3: 2" } ", 2 inputs lead to state 3" }
    }
}

fn rectangle(class: &str) -> Markup {
    html! {
        svg.machine.swatch width="24" height="16" aria-hidden="true" {
            rect class=(class) x="2" y="2" width="20" height="12" rx="4" {}
        }
    }
}

fn line(class: &str) -> Markup {
    html! {
        svg.machine.swatch width="30" height="16" aria-hidden="true" {
            path class=(class) d="M1 8L22 8" {}
            path class=(format!("arrow {class}")) d="M29 8L21 4.4L21 11.6Z" {}
        }
    }
}
