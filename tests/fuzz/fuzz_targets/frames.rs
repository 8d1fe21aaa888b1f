#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mealybug_tests::fuzz::frames(data));
