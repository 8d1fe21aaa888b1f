//! The style of pictures, in light and dark.

/// The style sheet of all pictures.
pub const STYLE: &str = "\
.machine text{font-family:'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace;\
font-size:11px;fill:#1f2933;text-anchor:middle}
.machine text.name{font-size:13px;font-weight:bold}
.machine text.note{font-size:13px;font-weight:bold;fill:#b3261e;text-anchor:start}
.machine rect{fill:#f4f6f8;stroke:#52606d;stroke-width:1.2}
.machine rect.initial{fill:#e3f0e4;stroke:#2e6b34;stroke-width:2}
.machine path{fill:none;stroke:#52606d;stroke-width:1.2}
.machine .arrow{fill:#52606d;stroke:none}
.machine path.back{stroke:#3f6fb5}
.machine .arrow.back{fill:#3f6fb5}
.machine text.back{fill:#2c5694}
.machine path.open{stroke-dasharray:5 4}
.machine text.open{font-style:italic}
.machine path.first{stroke:#b3261e}
.machine path.second{stroke:#1e7d32}
.machine .arrow.first{fill:#b3261e;stroke:none}
.machine .arrow.second{fill:#1e7d32;stroke:none}
.machine text.first{fill:#a02018}
.machine text.second{fill:#17662a}
.machine rect.first{stroke:#b3261e;stroke-dasharray:7 3}
.machine rect.second{stroke:#1e7d32;stroke-width:2.4}
@media (prefers-color-scheme:dark){
.machine text{fill:#e4e7eb}
.machine text.note{fill:#ff8a80}
.machine rect{fill:#2a3138;stroke:#9aa5b1}
.machine rect.initial{fill:#213a26;stroke:#7cc586}
.machine path{stroke:#9aa5b1}
.machine .arrow{fill:#9aa5b1}
.machine path.back{stroke:#7ba4e0}
.machine .arrow.back{fill:#7ba4e0}
.machine text.back{fill:#9dbdf0}
.machine path.first{stroke:#ff8a80}
.machine path.second{stroke:#7cc586}
.machine .arrow.first{fill:#ff8a80}
.machine .arrow.second{fill:#7cc586}
.machine text.first{fill:#ff8a80}
.machine text.second{fill:#8fd89a}
.machine rect.first{stroke:#ff8a80}
.machine rect.second{stroke:#7cc586}
}
";
