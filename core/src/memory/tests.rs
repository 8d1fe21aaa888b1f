//! Memory against naive copies of what lies in it.

use super::{Field, Format, Layout, Memory, Position};
use crate::error::{Resource, SessionError};

const LIST: Field<Position> = Field::new(3, Format::Wide);
const MATRIX: Field<Position, Position> = Field::new(5, Format::Packed);
const OTHER: Field<Position> = Field::new(8, Format::Packed);
const CELLS: Field<Position, Position> = Field::new(10, Format::Packed);

/// Shapes grow, and fields are given up, in a seeded order; a naive copy of every value says what must be
/// there.
#[test]
fn growing_keeps_every_value_and_zeroes_the_rest() {
    for seed in 0..200_u32 {
        let mut words = [u32::MAX; 400];
        let mut layout = Layout::new();
        let mut memory = Memory::new(&mut words, &mut layout);
        let mut random = seed * 7919 + 1;
        let mut next = |n: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % n
        };
        let mut list: [u32; 60] = [0; 60];
        let mut matrix = [[0_u32; 12]; 12];
        let mut cells = [[0_u32; 30]; 10];
        let (mut len, mut list_max) = (0, 1);
        let (mut rows, mut columns, mut matrix_max) = (0, 1, 1);
        let (mut slots, mut symbols, mut cell_max) = (0, 1, 1);
        for _ in 0..40 {
            if next(8) == 0 {
                let used = memory.layout.used_words;
                let released = memory.words(MATRIX);
                memory.release(MATRIX);
                assert_eq!(memory.layout.used_words, used - released, "seed {seed}");
                (rows, columns, matrix_max) = (0, 1, 1);
                matrix = [[0; 12]; 12];
            }
            if next(8) == 0 {
                memory.release(CELLS);
                (slots, symbols, cell_max) = (0, 1, 1);
                cells = [[0; 30]; 10];
            }
            len = (len + next(3)).min(60);
            list_max = (list_max * (1 + next(2)) + next(2)).min(70_000);
            rows = (rows + next(2)).min(12);
            columns = (columns + next(2)).min(12);
            matrix_max = (matrix_max + next(3)).min(300);
            slots = (slots + next(2)).min(10);
            symbols = (symbols + next(2)).min(30);
            cell_max = (cell_max + next(2)).min(90);
            let shapes = [
                LIST.list(len, list_max),
                MATRIX.matrix(rows, columns, matrix_max),
                CELLS.matrix(slots, symbols, cell_max),
            ];
            memory.reserve(Resource::Rows, &shapes).expect("room");
            for _ in 0..20 {
                if len > 0 {
                    let (i, value) = (next(len), next(list_max + 1));
                    memory.set(LIST, Position(i), value);
                    list[i as usize] = value;
                }
                if rows > 0 {
                    let (row, column, value) = (next(rows), next(columns), next(matrix_max + 1));
                    memory.put(MATRIX, Position(row), Position(column), value);
                    matrix[row as usize][column as usize] = value;
                }
                if slots > 0 {
                    let (slot, i, value) = (next(slots), next(symbols), next(cell_max + 1));
                    memory.put(CELLS, Position(slot), Position(i), value);
                    cells[slot as usize][i as usize] = value;
                }
            }
            let used = memory.layout.used_words;
            memory
                .reserve(Resource::Words, &[OTHER.list(100_000, 1000)])
                .expect_err("far too much");
            let SessionError::Capacity(error) = memory.layout.refused() else { panic!("full") };
            assert_eq!((error.what, error.capacity), (Resource::Words, 1600));
            assert!(error.needed > 1600);
            assert_eq!(memory.layout.used_words, used, "a refused call changes nothing");
            for i in 0..len {
                assert_eq!(memory.get(LIST, Position(i)), list[i as usize], "seed {seed}");
            }
            for row in 0..rows {
                for column in 0..columns {
                    let value = matrix[row as usize][column as usize];
                    assert_eq!(
                        memory.at(MATRIX, Position(row), Position(column)),
                        value,
                        "seed {seed}"
                    );
                }
            }
            for slot in 0..slots {
                for i in 0..symbols {
                    let value = cells[slot as usize][i as usize];
                    let cell = memory.at(CELLS, Position(slot), Position(i));
                    assert_eq!(cell, value, "seed {seed} slot {slot} cell {i}");
                }
            }
        }
        let mut larger = [7; 500];
        assert!(layout.transfer(&words, &mut larger));
        let moved = Memory::new(&mut larger, &mut layout);
        for slot in 0..slots {
            for i in 0..symbols {
                assert_eq!(
                    moved.at(CELLS, Position(slot), Position(i)),
                    cells[slot as usize][i as usize],
                    "moved, seed {seed}"
                );
            }
        }
        assert!(!layout.transfer(&words, &mut [0; 3]));
    }
}

#[test]
fn what_just_fits_is_taken_and_one_more_is_refused() {
    let mut words = [0; 10];
    let mut layout = Layout::new();
    let mut memory = Memory::new(&mut words, &mut layout);
    let list = |len| LIST.list(len, u32::MAX);
    let cells = CELLS.matrix(2, 2, u32::MAX);
    assert!(memory.reserve(Resource::Rows, &[list(6), cells]).is_ok());
    memory.set(LIST, Position(5), 99);
    memory.put(CELLS, Position(1), Position(0), 42);
    assert!(memory.reserve(Resource::Rows, &[list(7)]).is_err());
    assert_eq!(
        (memory.get(LIST, Position(5)), memory.at(CELLS, Position(1), Position(0))),
        (99, 42)
    );
    assert_eq!(layout.high_water_bytes(), 40);
}

/// Numbers that cannot be counted have no room, however narrow they are.
#[test]
fn too_many_numbers_are_refused() {
    let mut layout = Layout::new();
    let mut memory = Memory::new(&mut [], &mut layout);
    let mut needed = |rows, columns| {
        let shapes = [MATRIX.matrix(rows, columns, 1)];
        memory.reserve(Resource::Rows, &shapes).expect_err("there is no room");
        match memory.layout.refused() {
            SessionError::Capacity(error) => error.needed / size_of::<u32>(),
            error => panic!("{error}"),
        }
    };
    assert_eq!(needed(1 << 16, (1 << 16) - 1), ((1 << 16) - 1) << 11, "32 in a word");
    for (rows, columns) in [(1 << 16, 1 << 16), (u32::MAX, 1), (u32::MAX, u32::MAX)] {
        assert_eq!(needed(rows, columns), u32::MAX as usize, "{rows} × {columns}");
    }
}
