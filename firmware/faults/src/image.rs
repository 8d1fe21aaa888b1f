//! Tells programs apart by their images.

use core::ptr::with_exposed_provenance;
use core::slice;

use crate::kept::CRC;

unsafe extern "C" {
    // Of the linker. Only their addresses mean something.
    static __stext: u8;
    static __sidata: u8;
    static __sdata: u8;
    static __edata: u8;
}

/// A digest of the program's image: its code, its constants, and what its statics begin with. Another program has another
/// one. It reads the whole image, about 100 instructions for each byte.
pub fn image_digest() -> u32 {
    let [start, data, data_start, data_end] =
        [&raw const __stext, &raw const __sidata, &raw const __sdata, &raw const __edata]
            .map(|symbol| symbol.addr());
    let end = data.saturating_add(data_end.saturating_sub(data_start));
    // SAFETY: the linker puts code, constants and the first values of statics into flash in this order, with nothing behind
    // them that changes.
    let image =
        unsafe { slice::from_raw_parts(with_exposed_provenance(start), end.saturating_sub(start)) };
    CRC.checksum(image)
}
