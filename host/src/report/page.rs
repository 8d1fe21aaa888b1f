//! The frame of the report: its head, and its style in light, in dark and on paper.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::escape::is_not_markup;
use crate::picture::STYLE;

/// The style sheet, in addition to that of the pictures.
const PAGE: &str = "\
:root{color-scheme:light dark;--ink:#1f2933;--faint:#616e7c;--ground:#ffffff;--panel:#f4f6f8;\
--edge:#cbd2d9;--good:#e3f0e4;--good-edge:#2e6b34;--bad:#fce4e2;--bad-edge:#b3261e;\
--one:#3f6fb5;--two:#b35c1e;--three:#52606d}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--faint:#9aa5b1;--ground:#16191d;\
--panel:#22272e;--edge:#3e4c59;--good:#1c3220;--good-edge:#7cc586;--bad:#3d1a18;--bad-edge:#ff8a80;\
--one:#7ba4e0;--two:#f0a868;--three:#9aa5b1}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem;max-width:1600px;background:var(--ground);color:var(--ink);\
font:16px/1.5 system-ui,'Segoe UI','DejaVu Sans',sans-serif}
h1{margin:0 0 .6rem;font-size:1.7rem;overflow-wrap:anywhere}
h2{margin:2.2rem 0 .5rem;padding-bottom:.2rem;border-bottom:1px solid var(--edge);font-size:1.25rem}
h3{margin:1.4rem 0 .4rem;font-size:1rem;overflow-wrap:anywhere}
p{max-width:75ch;margin:.5rem 0}
.faint{color:var(--faint);font-size:.9rem}
code,td.word{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.85em}
.verdict{padding:.6rem 1rem;border:1px solid;border-left-width:8px;border-radius:6px;\
font-size:1.1rem}
.verdict.good{background:var(--good);border-color:var(--good-edge)}
.verdict.bad{background:var(--bad);border-color:var(--bad-edge)}
.verdict.bad strong{font-size:1.35rem}
.warnings{padding-left:1.2rem}
.scroll{overflow-x:auto;margin:.5rem 0;padding:.5rem;border:1px solid var(--edge);border-radius:6px}
.scroll svg{display:block}
table{border-collapse:collapse;font-size:.9rem}
th,td{padding:.2rem .7rem;border-bottom:1px solid var(--edge);text-align:left;vertical-align:top}
thead th{border-bottom:2px solid var(--edge)}
td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.word{overflow-wrap:anywhere;min-width:12rem}
.next{color:var(--faint);white-space:nowrap}
td.open{font-style:italic}
td.unknown{color:var(--faint)}
.facts th{font-weight:normal;color:var(--faint)}
.bar{display:block;height:.7rem;min-width:2px;background:var(--one);border-radius:2px}
.plots{display:flex;flex-wrap:wrap;gap:1.5rem}
figure{margin:.5rem 0;max-width:100%}
figcaption{font-size:.9rem;color:var(--faint)}
svg.plot{max-width:100%;height:auto}
svg.plot text{font:12px system-ui,'Segoe UI','DejaVu Sans',sans-serif;fill:var(--ink)}
svg.plot line{stroke:var(--edge)}
svg.plot polyline{fill:none;stroke-width:2}
svg.plot .one{stroke:var(--one)} svg.plot .two{stroke:var(--two)} svg.plot .three{stroke:var(--three)}
svg.plot text.one{fill:var(--one);stroke:none} svg.plot text.two{fill:var(--two);stroke:none}
svg.plot text.three{fill:var(--three);stroke:none}
svg.plot circle.one{fill:var(--one)} svg.plot circle.two{fill:var(--two)}
svg.plot circle.three{fill:var(--three)}
@media print{body{max-width:none;padding:0;font-size:11pt}.scroll{overflow:visible;border:0;padding:0}\
.scroll svg{max-width:100%;height:auto}figure,tr,.verdict,svg{break-inside:avoid}h2,h3{break-after:avoid}\
.verdict,.bar{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
";

/// The page that contains this report.
///
/// A name may hold control characters, which HTML cannot represent. They become replacement
/// characters.
pub(super) fn page(name: &str, report: &Markup) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "mealybug " (version) };
                title { (name) ": what Mealybug learned" }
                style { (PreEscaped(PAGE)) (PreEscaped(STYLE)) }
            }
            body {
                (report)
                p.faint {
                    "Written by mealybug " (version) ". The files beside this page hold all of it for programs."
                }
            }
        }
    };
    page.into_string().replace(is_not_markup, "\u{fffd}")
}
