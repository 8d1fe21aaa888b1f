//! Which rows are equal under which projection.
//!
//! For every projection the rows are kept divided into classes of equal rows, numbered in the order
//! in which they came up. Nothing is ever compared twice: a new row is compared with one sample of
//! each class, a new column splits classes in one pass, and a new output changes no class, since no
//! row holds it yet. A class has a short row as its sample if it has one, so *closed* means that all
//! samples are short.
//!
//! First the *whole* rows are divided, all outputs apart: the ordinary closedness of L*, and the only
//! division when the family is the identity. The components' projections divide the classes of that.
//!
//! Comparing under a projection takes a few word operations for each packed word (see
//! [`Finder`](crate::bits::Finder)); no row is unpacked.

use crate::bits::Finder;
use crate::columns::Column;
use crate::digest;
use crate::error::{Resource, Stop};
use crate::memory::{Field, Memory, Want};
use crate::table::{Row, Short, Table};

/// A projection that rows are divided under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    /// The output itself.
    Whole,
    /// The output itself inside the component's block, ⊥ outside.
    Component(u32),
}

impl Projection {
    /// `f(symbol)`: the symbol, or zero for ⊥.
    pub(crate) fn of(self, m: &Memory<'_>, symbol: u32) -> u32 {
        match (self, symbol.checked_sub(1)) {
            (Self::Component(component), Some(output))
                if m.get(Field::OutputComponent, output) != component =>
            {
                0
            }
            _ => symbol,
        }
    }
}

/// A projection of packed words.
#[derive(Clone, Copy)]
enum View {
    Whole,
    /// The block has one output: its pattern.
    One(Finder, u32),
    Many(Finder, u32),
}

impl View {
    fn new(table: &Table, m: &Memory<'_>, projection: Projection) -> Self {
        let Projection::Component(component) = projection else { return Self::Whole };
        let finder = m.packing().finder();
        let mut block = symbols(table, m, component);
        match (block.next(), block.next()) {
            (Some(symbol), None) => Self::One(finder, finder.pattern(symbol)),
            _ => Self::Many(finder, component),
        }
    }

    #[inline]
    fn project(self, table: &Table, m: &Memory<'_>, word: u32) -> u32 {
        match self {
            Self::Whole => word,
            Self::One(finder, pattern) => finder.keep(word, pattern),
            Self::Many(finder, component) => symbols(table, m, component)
                .fold(0, |kept, symbol| kept | finder.keep(word, finder.pattern(symbol))),
        }
    }
}

/// The symbols of a component's block.
fn symbols<'a>(table: &Table, m: &'a Memory<'_>, component: u32) -> impl Iterator<Item = u32> + 'a {
    let outputs = 0..table.outputs.len();
    outputs.filter(move |&o| m.get(Field::OutputComponent, o) == component).map(|o| o + 1)
}

impl Table {
    /// The projections of the components: the whole, for the identity.
    pub(crate) fn projections(&self) -> impl Iterator<Item = Projection> + use<> {
        let components = self.components();
        let whole = (components == 0).then_some(Projection::Whole);
        whole.into_iter().chain((0..components).map(Projection::Component))
    }

    /// Every projection that rows are divided under: the whole, then the components'.
    fn divisions(&self) -> impl Iterator<Item = Projection> + use<> {
        let components = (0..self.components()).map(Projection::Component);
        core::iter::once(Projection::Whole).chain(components)
    }

    /// The class of a row.
    #[inline]
    pub(crate) fn class(&self, m: &Memory<'_>, projection: Projection, row: Row) -> u32 {
        let whole = m.get(Field::WholeClass, row.0);
        match projection {
            Projection::Whole => whole,
            Projection::Component(_) => Self::class_of(m, projection, whole),
        }
    }

    /// How many members are divided: the rows under the whole, and the classes of these under any
    /// other projection, since rows that are equal as a whole are equal under all.
    fn members(&self, projection: Projection) -> u32 {
        match projection {
            Projection::Whole => self.rows(),
            Projection::Component(_) => self.whole_classes,
        }
    }

    /// A row that stands for a member.
    fn row_of_member(&self, m: &Memory<'_>, projection: Projection, member: u32) -> Row {
        match projection {
            Projection::Whole => Row(member),
            Projection::Component(_) => self.sample(m, Projection::Whole, member),
        }
    }

    /// The class of a member.
    #[inline]
    fn class_of(m: &Memory<'_>, projection: Projection, member: u32) -> u32 {
        match projection {
            Projection::Whole => m.get(Field::WholeClass, member),
            Projection::Component(component) => m.at(Field::Class, member, component),
        }
    }

    fn set_class_of(m: &mut Memory<'_>, projection: Projection, member: u32, class: u32) {
        match projection {
            Projection::Whole => m.set(Field::WholeClass, member, class),
            Projection::Component(component) => m.put(Field::Class, member, component, class),
        }
    }

    /// How many classes there are.
    pub(crate) fn classes(&self, m: &Memory<'_>, projection: Projection) -> u32 {
        match projection {
            Projection::Whole => self.whole_classes,
            Projection::Component(component) => m.get(Field::Classes, component),
        }
    }

    fn set_classes(&mut self, m: &mut Memory<'_>, projection: Projection, classes: u32) {
        match projection {
            Projection::Whole => self.whole_classes = classes,
            Projection::Component(component) => m.set(Field::Classes, component, classes),
        }
    }

    /// A row of the class, short if there is one.
    #[inline]
    pub(crate) fn sample(&self, m: &Memory<'_>, projection: Projection, class: u32) -> Row {
        Row(match projection {
            Projection::Whole => match Self::short_of(m, class) {
                Some(short) => return Self::row_of(m, short),
                None => m.get(Field::WholeSample, class) >> 1,
            },
            Projection::Component(component) => m.at(Field::Sample, class, component),
        })
    }

    fn set_sample(m: &mut Memory<'_>, projection: Projection, class: u32, row: Row) {
        match projection {
            // A class with a short row has it as its sample.
            Projection::Whole if Self::short_of(m, class).is_some() => {}
            Projection::Whole => m.set(Field::WholeSample, class, row.0 << 1),
            Projection::Component(component) => m.put(Field::Sample, class, component, row.0),
        }
    }

    fn reserve_classes(
        &self,
        m: &mut Memory<'_>,
        projection: Projection,
        classes: u32,
    ) -> Result<(), Stop> {
        let rows = self.rows();
        match projection {
            Projection::Whole => m.reserve(
                Resource::Classes,
                &[
                    Want::list(Field::WholeClass, rows, classes),
                    Want::list(Field::WholeSample, classes, rows << 1 | 1),
                    Want::cells(classes, self.columns.symbols(), 0),
                    digest::want(classes),
                    Want::matrix(Field::Class, classes, self.components(), 0),
                    Want::list(Field::Split, classes, classes),
                ],
            ),
            Projection::Component(_) => m.reserve(
                Resource::Classes,
                &[
                    Want::matrix(Field::Class, self.whole_classes, self.components(), classes),
                    Want::matrix(Field::Sample, classes, self.components(), rows),
                    Want::list(Field::Classes, self.components(), classes),
                    Want::list(Field::Split, classes, classes),
                ],
            ),
        }
    }

    /// Makes room for outputs that appeared. A block that one of them opened has no class yet if no
    /// row is complete, else one: in it all rows so far are equal.
    ///
    /// Calling it again after an error goes on where it ended.
    pub(crate) fn admit_outputs(&mut self, m: &mut Memory<'_>) -> Result<(), Stop> {
        if self.admitted == self.outputs.len() {
            return Ok(());
        }
        self.widen(m)?;
        let classes = self.whole_classes.min(1);
        for component in self.divided..self.components() {
            self.reserve_classes(m, Projection::Component(component), classes)?;
            m.set(Field::Classes, component, classes);
            self.divided = component + 1;
        }
        self.admitted = self.outputs.len();
        Ok(())
    }

    /// Divides what was filled: new rows, or all by new columns.
    ///
    /// Calling it again after an error goes on where it ended.
    pub(crate) fn divide(&mut self, m: &mut Memory<'_>) -> Result<(), Stop> {
        if self.whole_classes == 0 {
            for column in self.columns.iter() {
                let symbol = self.derived(m, Short(0), column);
                m.put(Field::Cell, 0, column.index(), symbol);
            }
            self.classify(m, Row::EMPTY)?;
        }
        while self.classified < self.rows() {
            self.classify(m, Row(self.classified))?;
        }
        for column in self.columns.since(self.fresh) {
            self.note_symbols(m, column)?;
            for projection in self.divisions() {
                for _ in 1..self.values(m, projection) {
                    if !self.split(m, projection, column)? {
                        break;
                    }
                }
            }
            self.add_to_digests(m, column);
        }
        self.settle_columns(m);
        Ok(())
    }

    /// The new columns have divided the classes, which take their symbols in.
    fn settle_columns(&mut self, m: &mut Memory<'_>) {
        for class in 0..self.whole_classes {
            let sample = self.sample(m, Projection::Whole, class);
            for column in self.columns.since(self.fresh) {
                m.put(Field::Cell, class, column.index(), self.symbol(m, sample, column));
            }
        }
        self.fresh = self.columns.end();
    }

    /// Notes the symbols of a column in all rows, short ones too, and which there are.
    fn note_symbols(&self, m: &mut Memory<'_>, column: Column) -> Result<(), Stop> {
        let symbols = self.symbol_max() + 1;
        m.reserve(Resource::Classes, &[Want::list(Field::Appears, symbols, 1)])?;
        m.fill(Field::Appears, symbols, 0);
        for row in (0..self.rows()).map(Row) {
            let place = self.place(m, row, column);
            if let Some(short) = self.short(m, row) {
                place.set(m, self.derived(m, short, column));
            }
            m.set(Field::Appears, place.get(m), 1);
        }
        Ok(())
    }

    /// How many values the projection of the noted column can have.
    fn values(&self, m: &Memory<'_>, projection: Projection) -> u32 {
        let appearing = (1..=self.symbol_max())
            .filter(|&symbol| m.get(Field::Appears, symbol) == 1 && projection.of(m, symbol) != 0);
        // ⊥ is one more.
        appearing.fold(1, |values, _| values + 1)
    }

    /// A long row has become short: it is a better sample of its classes.
    pub(crate) fn prefer_short(&self, m: &mut Memory<'_>, row: Row) {
        for projection in self.divisions() {
            let class = self.class(m, projection, row);
            if !self.is_short(m, self.sample(m, projection, class)) {
                Self::set_sample(m, projection, class, row);
            }
        }
    }

    /// Finds the classes of a new row.
    fn classify(&mut self, m: &mut Memory<'_>, row: Row) -> Result<(), Stop> {
        self.digested = self.columns.end();
        let whole = match self.find_whole(m, row) {
            Ok(class) => class,
            Err(digest) => self.open_whole(m, row, digest)?,
        };
        Self::set_class_of(m, Projection::Whole, row.0, whole);
        self.classified = self.classified.max(row.0 + 1);
        Ok(())
    }

    /// Opens a class of whole rows for a row that is the first of its kind.
    fn open_whole(&mut self, m: &mut Memory<'_>, row: Row, digest: u8) -> Result<u32, Stop> {
        let whole = self.whole_classes;
        self.reserve_classes(m, Projection::Whole, whole + 1)?;
        for projection in (0..self.components()).map(Projection::Component) {
            let class = self.find_or_open(m, projection, row)?;
            if class == self.classes(m, projection) {
                Self::set_sample(m, projection, class, row);
                self.set_classes(m, projection, class + 1);
            }
            Self::set_class_of(m, projection, whole, class);
        }
        // Last, so that a row whose classes were not all found is new again.
        Self::set_sample(m, Projection::Whole, whole, row);
        m.copy_slot(self.slot(m, row), whole);
        digest::set(m, whole, digest);
        self.whole_classes = whole + 1;
        Ok(whole)
    }

    /// Whether a row is equal to those of a class of whole rows.
    pub(crate) fn equal_whole(&self, m: &Memory<'_>, class: u32, row: Row) -> bool {
        self.equal(m, View::Whole, self.sample(m, Projection::Whole, class), row)
    }

    /// The class of the rows equal to a row, or else the number of the next class, for which there is
    /// room then.
    fn find_or_open(
        &self,
        m: &mut Memory<'_>,
        projection: Projection,
        row: Row,
    ) -> Result<u32, Stop> {
        let view = View::new(self, m, projection);
        let classes = self.classes(m, projection);
        let equal =
            (0..classes).find(|&class| self.equal(m, view, self.sample(m, projection, class), row));
        match equal {
            Some(class) => Ok(class),
            None => self.reserve_classes(m, projection, classes + 1).map(|()| classes),
        }
    }

    /// Whether two rows are equal under a projection.
    fn equal(&self, m: &Memory<'_>, view: View, row: Row, other: Row) -> bool {
        let words = m.packing().words(self.columns.symbols());
        (0..words).all(|i| {
            let (a, b) = (self.packed(m, row, i), self.packed(m, other, i));
            a == b || view.project(self, m, a) == view.project(self, m, b)
        })
    }

    /// Splits each class into the rows equal to its sample in the noted column and the others.
    ///
    /// `true` if a class was split; the others may then have to be split again.
    fn split(
        &mut self,
        m: &mut Memory<'_>,
        projection: Projection,
        column: Column,
    ) -> Result<bool, Stop> {
        let before = self.classes(m, projection);
        let members = self.members(projection);
        m.fill(Field::Split, before, 0);
        let mut classes = before;
        for member in 0..members {
            let class = Self::class_of(m, projection, member);
            if m.get(Field::Split, class) == 0 && self.leaves(m, projection, member, column) {
                m.set(Field::Split, class, 1);
                classes += 1;
            }
        }
        if classes == before {
            return Ok(false);
        }
        self.reserve_classes(m, projection, classes)?;
        let mut new = before;
        for class in 0..before {
            if m.get(Field::Split, class) == 1 {
                self.open_beside(m, projection, class, new);
                new += 1;
                m.set(Field::Split, class, new);
            }
        }
        for member in 0..members {
            let class = Self::class_of(m, projection, member);
            if let Some(new) = m.get(Field::Split, class).checked_sub(1)
                && class < before
                && self.leaves(m, projection, member, column)
            {
                Self::set_class_of(m, projection, member, new);
                let row = self.row_of_member(m, projection, member);
                let sample = self.sample(m, projection, new);
                if sample == Row::EMPTY || !self.is_short(m, sample) && self.is_short(m, row) {
                    Self::set_sample(m, projection, new, row);
                }
            }
        }
        self.set_classes(m, projection, classes);
        Ok(true)
    }

    /// Opens the class `new` for those that leave `class`, still without a sample.
    fn open_beside(&self, m: &mut Memory<'_>, projection: Projection, class: u32, new: u32) {
        if projection == Projection::Whole {
            for component in (0..self.components()).map(Projection::Component) {
                let inherited = Self::class_of(m, component, class);
                Self::set_class_of(m, component, new, inherited);
            }
            digest::inherit(m, class, new);
            m.copy_slot(class, new);
        }
        // The empty word's row stands for none: it leaves no class, for it is the sample of its own.
        Self::set_sample(m, projection, new, Row::EMPTY);
    }

    /// Whether a member differs from the sample of its class in the noted column.
    fn leaves(&self, m: &Memory<'_>, projection: Projection, member: u32, column: Column) -> bool {
        let row = self.row_of_member(m, projection, member);
        let sample = self.sample(m, projection, Self::class_of(m, projection, member));
        let symbol = |row: Row| projection.of(m, self.symbol(m, row, column));
        symbol(sample) != symbol(row)
    }

    /// Whether the table is closed in the ordinary sense: each row equals a short one.
    pub(crate) fn is_closed(&mut self, m: &Memory<'_>) -> bool {
        while self.settled < self.whole_classes && Self::short_of(m, self.settled).is_some() {
            self.settled += 1;
        }
        self.settled == self.whole_classes
    }

    /// The first row of each class that has no short one.
    pub(crate) fn open_rows(&self, m: &Memory<'_>) -> impl Iterator<Item = Row> {
        let open = (self.settled..self.whole_classes).filter(|&c| Self::short_of(m, c).is_none());
        open.map(|class| self.sample(m, Projection::Whole, class))
    }

    /// Calls `found` with each column in which two rows differ under a projection.
    pub(crate) fn differences(
        &self,
        m: &mut Memory<'_>,
        projection: Projection,
        (row, other): (Row, Row),
        mut found: impl FnMut(&mut Memory<'_>, Column),
    ) {
        let view = View::new(self, m, projection);
        let packing = m.packing();
        for i in 0..packing.words(self.columns.symbols()) {
            let a = [view.project(self, m, self.packed(m, row, i))];
            let b = [view.project(self, m, self.packed(m, other, i))];
            if a == b {
                continue;
            }
            for field in 0..packing.per_word() {
                if packing.get(&a, 0, field) != packing.get(&b, 0, field) {
                    found(m, Column(i * packing.per_word() + field + 1));
                }
            }
        }
    }

    /// The sample of the class of a short row: the first short row that is equal to it.
    pub(crate) fn twin(&self, m: &Memory<'_>, projection: Projection, short: Short) -> Short {
        let row = Self::row_of(m, short);
        self.short(m, self.sample(m, projection, self.class(m, projection, row))).unwrap_or(short)
    }
}
