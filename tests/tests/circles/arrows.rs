//! Arrows between the files of a crate point down: no file needs one that needs it, directly or not.
//!
//! Who changes a file on a circle has to know all the others. An arrow runs from a file to the file
//! that defines what it names, in a `use` or in a path in code, a signature or the tokens of a macro:
//! - What a module passes on counts where it is defined, and the modules on the way do not count. A
//!   path to a module is an arrow to the module's file, and so is a `*` (its names are not followed).
//! - `mod child;` is no arrow, nor is a re-export of what stands below the module; a parent whose own
//!   items use a child is above it. `lib.rs` is a parent like the others.
//! - Documentation, attributes and test modules do not count. The files of a module that has variants
//!   (by `cfg` and `path`) are one, under the name of the first.
//!
//! A call of a method names no file. So an inherent `impl` stands in the file `x.rs` that defines its
//! type or below `x/`; anywhere else it is a circle by itself.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemImpl, ItemMod, ItemUse, Macro, Meta, Type, UseTree, Visibility};

/// The names of a path, or of a module from the root of the crate.
type PathNames = Vec<String>;

type RustModules = BTreeMap<PathNames, RustModule>;

/// From a file to a file, with the items that make the arrow.
type Arrows = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The circles of the crate with this root file, each with what makes its arrows.
pub(crate) fn circles(root: &Path) -> Vec<String> {
    circles_of(root, &|file| fs::read_to_string(file).ok())
}

/// The same for files that are read in another way.
fn circles_of(root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Vec<String> {
    let folder = folder_of(root);
    let mut modules = RustModules::new();
    ModuleReader { read, root: folder, modules: &mut modules, at: PathNames::new() }
        .file(root, folder);
    let arrows = arrows(&modules);
    let mut found = Vec::new();
    let mut done = BTreeSet::new();
    for file in arrows.keys() {
        let members = component(&arrows, file);
        if members.iter().all(|member| done.insert(member.clone())) && !members.is_empty() {
            found.push(describe(&arrows, &members));
        }
    }
    found.extend(foreign_impls(&modules));
    found
}

// What the modules name.

/// What a module says, in all of its files.
#[derive(Default)]
struct RustModule {
    file: String,
    /// Names that a `use` brings in, and for what.
    imports: Vec<(String, PathNames)>,
    mentions: Vec<PathNames>,
    reexports: Vec<PathNames>,
    inherent_impls: Vec<PathNames>,
}

/// Reads a module and those below it.
struct ModuleReader<'a> {
    read: &'a dyn Fn(&Path) -> Option<String>,
    root: &'a Path,
    modules: &'a mut RustModules,
    at: PathNames,
}

impl ModuleReader<'_> {
    /// Reads a file of the module, whose child modules lie in `children`.
    fn file(&mut self, file: &Path, children: &Path) {
        let text = (self.read)(file).unwrap_or_else(|| panic!("no file {}", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.strip_prefix(self.root).unwrap_or(file).display().to_string();
        self.items(&parsed.items, name, file, children);
    }

    fn items(&mut self, items: &[Item], name: String, file: &Path, children: &Path) {
        let module = self.modules.entry(self.at.clone()).or_default();
        if module.file.is_empty() {
            module.file = name;
        }
        items.iter().for_each(|item| module.visit_item(item));
        for item in items {
            if let Item::Mod(child) = item
                && !is_for_tests(child)
            {
                self.child(child, file, children);
            }
        }
    }

    fn child(&mut self, child: &ItemMod, file: &Path, children: &Path) {
        let name = child.ident.to_string();
        let below = children.join(&name);
        let file_of_parent = self.modules[&self.at].file.clone();
        self.at.push(name.clone());
        if let Some((_, items)) = &child.content {
            self.items(items, file_of_parent, file, &below);
        } else if let Some(path) = child.attrs.iter().find_map(path_attribute) {
            let file = folder_of(file).join(path);
            self.file(&file, folder_of(&file));
        } else {
            let candidates = [children.join(format!("{name}.rs")), below.join("mod.rs")];
            let is_there = |file: &&PathBuf| (self.read)(file).is_some();
            let file = candidates.iter().find(is_there).unwrap_or(&candidates[0]);
            self.file(file, &below);
        }
        self.at.pop();
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().expect("a file is in a folder")
}

/// What `#[path = "…"]` says.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) = &meta.value else {
        return None;
    };
    meta.path.is_ident("path").then(|| path.value())
}

/// Whether the module is called `tests` or is there under `cfg(test)` or `cfg(all(test, …))` only.
fn is_for_tests(module: &ItemMod) -> bool {
    let is_test = |attribute: &Attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        let condition = list.tokens.to_string().replace(' ', "");
        list.path.is_ident("cfg") && (condition == "test" || condition.starts_with("all(test,"))
    };
    module.ident == "tests" || module.attrs.iter().any(is_test)
}

impl<'ast> Visit<'ast> for RustModule {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            let is_private = matches!(item.vis, Visibility::Inherited);
            self.import(&item.tree, PathNames::new(), is_private);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if let (None, Type::Path(of)) = (&item.trait_, &*item.self_ty) {
            self.inherent_impls.push(names(&of.path));
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.mention(names(path));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.mention_tokens(call.tokens.clone());
    }

    // `items` takes the modules; attributes and `pub(in …)` say nothing about what is needed.
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

impl RustModule {
    fn import(&mut self, tree: &UseTree, mut path: PathNames, is_private: bool) {
        let (item, name) = match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                return self.import(&inner.tree, path, is_private);
            }
            UseTree::Group(group) => {
                let each = |tree| self.import(tree, path.clone(), is_private);
                return group.items.iter().for_each(each);
            }
            UseTree::Glob(_) => (String::from("self"), String::from("*")),
            UseTree::Name(last) => (last.ident.to_string(), last.ident.to_string()),
            UseTree::Rename(last) => (last.ident.to_string(), last.rename.to_string()),
        };
        if item != "self" {
            path.push(item);
        }
        let name = if name == "self" { path[path.len() - 1].clone() } else { name };
        // Else it is a macro of this module, or what has the name of its crate.
        if path[0] != name {
            self.imports.push((name, path.clone()));
        }
        // A bare name in code may be a variable, here it is none.
        path.insert(0, String::from("self"));
        if is_private { &mut self.mentions } else { &mut self.reexports }.push(path);
    }

    /// Takes in the paths among the tokens of a macro.
    fn mention_tokens(&mut self, tokens: TokenStream) {
        let mut path = PathNames::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.mention(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Group(group) => {
                    self.mention_tokens(group.stream());
                    colons = 0;
                }
                _ => colons = 0,
            }
        }
        self.mention(path);
    }

    /// Takes in a path of code; the value `self`, and the `crate` of `pub(crate)`, are none.
    fn mention(&mut self, path: PathNames) {
        let is_keyword = |name: &String| ["crate", "self", "super"].contains(&name.as_str());
        if !path.iter().all(is_keyword) {
            self.mentions.push(path);
        }
    }
}

fn names(path: &syn::Path) -> PathNames {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

// Where the names are defined.

/// The modules that define what a path in a module names, with its name there. None for what is not
/// of this crate, for what the module defines itself, and for a variable with the name of a child.
fn definitions(modules: &RustModules, at: &PathNames, path: &[String]) -> Vec<(PathNames, String)> {
    let mut at = at.clone();
    let mut path = path;
    let mut is_bare = true;
    while let [name, rest @ ..] = path {
        let child = [&at[..], std::slice::from_ref(name)].concat();
        match name.as_str() {
            "crate" => at.clear(),
            "super" => drop(at.pop()),
            "self" => {}
            _ if modules.contains_key(&child) && is_bare && rest.is_empty() => return Vec::new(),
            _ if modules.contains_key(&child) => at = child,
            _ => {
                let imports = modules[&at].imports.iter().filter(|(import, _)| import == name);
                let through = |(_, import): &(String, PathNames)| {
                    definitions(modules, &at, &[&import[..], rest].concat())
                };
                let is_defined_here = imports.clone().count() == 0 && !is_bare;
                let passed_on = imports.flat_map(through).collect();
                return if is_defined_here { vec![(at, name.clone())] } else { passed_on };
            }
        }
        is_bare = false;
        path = rest;
    }
    let name = at.last().map_or("crate", |name| name).to_string();
    vec![(at, name)]
}

fn arrows(modules: &RustModules) -> Arrows {
    let mut arrows = Arrows::new();
    for (at, module) in modules {
        let defined = |path: &PathNames| definitions(modules, at, path);
        let mentions = module.mentions.iter().flat_map(defined);
        let reexports = module.reexports.iter().flat_map(defined);
        for (to, item) in mentions.chain(reexports.filter(|(to, _)| !to.starts_with(at))) {
            let file = &modules[&to].file;
            if *file != module.file {
                let from = arrows.entry(module.file.clone()).or_default();
                from.entry(file.clone()).or_default().insert(item);
            }
        }
    }
    arrows
}

/// A line for each inherent `impl` outside of the file that defines its type and of what is below.
fn foreign_impls(modules: &RustModules) -> Vec<String> {
    let mut found = Vec::new();
    for (at, module) in modules {
        for path in &module.inherent_impls {
            for (home, name) in definitions(modules, at, path) {
                let (from, to) = (&modules[&home].file, &module.file);
                if !at.starts_with(&home) && from != to {
                    found.push(format!("{from} -> {to} -> {from}: `impl {name}` is in {to}"));
                }
            }
        }
    }
    found
}

// Circles of arrows.

/// The shortest way along one arrow or more, with both ends.
fn shortest_way(arrows: &Arrows, from: &str, to: &str) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![from.to_string()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in arrows.get(&way[way.len() - 1]).into_iter().flat_map(BTreeMap::keys) {
            let longer = [&way[..], std::slice::from_ref(next)].concat();
            if next == to {
                return Some(longer);
            }
            if seen.insert(next) {
                ways.push_back(longer);
            }
        }
    }
    None
}

/// The files that need this one and that it needs, with itself; none if it is on no circle.
fn component(arrows: &Arrows, file: &str) -> Vec<String> {
    let is_member = |other: &&String| {
        shortest_way(arrows, file, other).is_some() && shortest_way(arrows, other, file).is_some()
    };
    arrows.keys().filter(is_member).cloned().collect()
}

/// The shortest circle among these files, then the items of all arrows between them.
fn describe(arrows: &Arrows, members: &[String]) -> String {
    let circles = members.iter().filter_map(|file| shortest_way(arrows, file, file));
    let shortest = circles.min_by_key(Vec::len).expect("the members are on circles");
    let mut text = format!("{} (of {} files)", shortest.join(" -> "), members.len());
    for from in members {
        for (to, items) in arrows[from].iter().filter(|(to, _)| members.contains(to)) {
            let items: Vec<_> = items.iter().map(String::as_str).collect();
            text += &format!("\n    {from} -> {to}: {}", items.join(", "));
        }
    }
    text
}

// Small crates with and without circles.

#[cfg(test)]
mod planted {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: BTreeMap<_, _> = files.iter().copied().collect();
        circles_of(Path::new("lib.rs"), &|file| Some((*files.get(file.to_str()?)?).to_string()))
    }

    #[test]
    fn a_tree_is_accepted() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; pub use a::A; pub use c::C;"),
            // Its child has a method of `A`, which calls what stands below.
            (
                "a.rs",
                "mod child; #[cfg(test)] mod tests; pub struct A; fn f(child: u8) { A.g(child) }",
            ),
            ("a/child.rs", "use super::A; impl A { pub fn g(self, _: u8) { crate::b::h() } }"),
            // A trait of one file for a type of another.
            ("c.rs", "use crate::A; pub trait C { fn c(self); } impl C for A { fn c(self) {} }"),
            ("b.rs", "pub fn h() { core::mem::drop(self::inner::X) } mod inner { pub struct X; }"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn a_circle_by_use_names_files_and_items() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "use crate::a; pub struct B(a::A);"),
        ];
        let expected =
            "a.rs -> b.rs -> a.rs (of 2 files)\n    a.rs -> b.rs: B\n    b.rs -> a.rs: A, a";
        assert_eq!(found(&files), [expected]);
    }

    #[test]
    fn each_component_is_named_once_by_its_shortest_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
            ("a.rs", "fn f() { crate::b::f() }"),
            ("b.rs", "fn f() { crate::c::f() }"),
            ("c.rs", "fn f() { crate::a::f(); crate::b::f(); crate::d::f() }"),
            ("d.rs", "fn f(_: crate::e::E) {}"),
            ("e.rs", "pub struct E; fn f() { assert!(crate::d::f(E) == ()) }"),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("b.rs -> c.rs -> b.rs (of 3 files)"), "{found:?}");
        assert!(found[1].starts_with("d.rs -> e.rs -> d.rs (of 2 files)"), "{found:?}");
    }

    #[test]
    fn an_item_counts_where_it_is_defined_not_where_it_is_passed_on() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "mod x; mod y; pub use self::{x::X as A, y::Y};"),
            ("a/x.rs", "use super::Y; pub struct X(Y);"),
            ("a/y.rs", "use crate::b::B; pub struct Y(B);"),
            ("b.rs", "use crate::{A, b as me}; pub struct B(A);"),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("a/x.rs -> a/y.rs -> b.rs -> a/x.rs (of 3 files)"));
        assert!(found[0].ends_with("b.rs -> a/x.rs: X"), "{found:?}");
    }

    #[test]
    fn a_parent_that_uses_a_child_is_above_it() {
        let child = ("a/child.rs", "pub struct Child(super::Own);");
        let lib = ("lib.rs", "mod a;");
        let only_declared = "mod child; pub use child::Child; pub struct Own;";
        assert_eq!(found(&[lib, child, ("a.rs", only_declared)]), [""; 0]);
        let circle = ["a.rs -> a/child.rs -> a.rs (of 2 files)\n    \
            a.rs -> a/child.rs: Child\n    a/child.rs -> a.rs: Own"];
        let imported = "mod child; use child::Child; pub struct Own;";
        assert_eq!(found(&[lib, child, ("a.rs", imported)]), circle);
        let used = "mod child; pub use child::Child; pub struct Own; fn f(_: Child) {}";
        assert_eq!(found(&[lib, child, ("a.rs", used)]), circle);
        let by_star = "mod child; use child::*; pub struct Own;";
        assert_eq!(found(&[lib, child, ("a.rs", by_star)]), [circle[0].replace("Child", "child")]);
    }

    #[test]
    fn super_is_a_file_like_others() {
        let lib = ("lib.rs", "mod a;");
        let a = ("a.rs", "mod child; fn f() { child::g() }");
        let expected = "a.rs -> a/child.rs -> a.rs (of 2 files)\n    a.rs -> a/child.rs: g\n    \
            a/child.rs -> a.rs: ";
        let by_name = ("a/child.rs", "pub(super) fn g() { super::f() }");
        assert_eq!(found(&[lib, a, by_name]), [format!("{expected}f")]);
        let by_star = ("a/child.rs", "use super::*; pub(super) fn g() {}");
        assert_eq!(found(&[lib, a, by_star]), [format!("{expected}a")]);
    }

    #[test]
    fn an_inherent_impl_in_a_foreign_folder_is_a_circle() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub struct A<T>(T);"),
            ("b.rs", "use crate::a::A; impl<T> A<T> { fn f() {} }"),
        ];
        assert_eq!(found(&files), ["a.rs -> b.rs -> a.rs: `impl A` is in b.rs"]);
    }

    #[test]
    fn both_variants_of_a_module_are_one() {
        let lib = "mod a; #[cfg(x)] mod b; #[cfg(not(x))] #[path = \"no_b.rs\"] mod b;";
        let files = [
            ("lib.rs", lib),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "pub struct B;"),
            ("no_b.rs", "pub struct B; fn f() { crate::a::f() }"),
        ];
        let found = found(&files);
        assert!(found.len() == 1 && found[0].starts_with("a.rs -> b.rs -> a.rs"), "{found:?}");
    }
}
