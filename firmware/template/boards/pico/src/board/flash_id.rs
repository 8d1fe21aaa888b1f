//! The number of the board's flash chip, which no other chip has.
//!
//! The routine is that of rp2040-flash 0.6 (`flash_unique_id`, MIT OR Apache-2.0), which is made for an older version of
//! the HAL and does not link beside this one.

use rp2040_hal::rom_data;

/// How many bytes the number has.
pub(super) const ID_BYTES: usize = 8;

/// The command that reads the number, and how many bytes are sent before it comes.
const READ_UNIQUE_ID: u8 = 0x4b;
const DUMMY_BYTES: u32 = 4;

/// Where the flash is, and the second-stage boot loader at its start.
const FLASH: *const u32 = 0x1000_0000 as *const u32;
const BOOT2_WORDS: usize = 64;

/// A command for the flash. The routine knows the order of the fields.
#[repr(C)]
struct FlashCommand {
    command: *const u8,
    command_len: u32,
    dummy_len: u32,
    data: *mut u8,
    data_len: usize,
}

/// What the routine calls, in the ROM and in RAM. It knows the order of the fields.
#[repr(C)]
struct FlashFunctions {
    connect: unsafe extern "C" fn(),
    exit_xip: unsafe extern "C" fn(),
    enter_xip: unsafe extern "C" fn(),
}

/// Reads the number.
///
/// # Safety
/// Nothing else uses the flash meanwhile: interrupts are held back, and the other core and the DMA are not in use.
pub(super) unsafe fn flash_id() -> [u8; ID_BYTES] {
    let mut id = [0; ID_BYTES];
    let mut boot2 = [0_u32; BOOT2_WORDS];
    for (at, word) in boot2.iter_mut().enumerate() {
        // SAFETY: the flash can be read.
        *word = unsafe { FLASH.wrapping_add(at).read_volatile() };
    }
    // SAFETY: the boot loader is a function in Thumb code, which makes the flash readable and returns.
    let enter_xip = unsafe {
        core::mem::transmute::<*const u8, unsafe extern "C" fn()>(
            boot2.as_ptr().cast::<u8>().wrapping_add(1),
        )
    };
    let functions = FlashFunctions {
        connect: rom_data::connect_internal_flash::ptr(),
        exit_xip: rom_data::flash_exit_xip::ptr(),
        enter_xip,
    };
    // In RAM, since the flash cannot be read then.
    let read = READ_UNIQUE_ID;
    let command = FlashCommand {
        command: &raw const read,
        command_len: 1,
        dummy_len: DUMMY_BYTES,
        data: id.as_mut_ptr(),
        data_len: ID_BYTES,
    };
    // SAFETY: as the caller promises.
    unsafe { read_flash(&command, &functions) };
    id
}

/// Carries out a command. It lies in RAM, since the flash cannot be read meanwhile.
#[inline(never)]
#[unsafe(link_section = ".data.ram_func")]
unsafe fn read_flash(command: &FlashCommand, functions: &FlashFunctions) {
    // SAFETY: the caller's.
    unsafe {
        core::arch::asm!(
            // LLVM has r6 and r7 for itself. Two words keep the stack aligned.
            "push {{r6, r7}}",
            "mov r7, r0", // command
            "mov r5, r1", // functions
            "ldr r4, [r5, #0]",
            "blx r4", // connect()
            "ldr r4, [r5, #4]",
            "blx r4", // exit_xip()
            // SSI, RP2040 datasheet 4.10.13
            "movs r4, #0x18",
            "lsls r4, r4, #24",
            // Disable: SSIENR
            "movs r0, #0",
            "str r0, [r4, #8]",
            // Read the EEPROM way: TMOD in CTRLR0
            "movs r0, #0x3",
            "lsls r0, r0, #8",
            "ldr r1, [r4, #0]",
            "orrs r1, r0",
            "str r1, [r4, #0]",
            // Number of bytes to receive, less one: CTRLR1
            "ldr r0, [r7, #8]",
            "ldr r1, [r7, #16]",
            "add r0, r1",
            "subs r0, #1",
            "str r0, [r4, #4]",
            // Enable: SSIENR
            "movs r0, #1",
            "str r0, [r4, #8]",
            // Send the command: DR
            "mov r2, r4",
            "adds r2, 0x60",
            "ldr r0, [r7, #0]",
            "ldr r1, [r7, #4]",
            "10:",
            "ldrb r3, [r0]",
            "strb r3, [r2]",
            "adds r0, #1",
            "subs r1, #1",
            "bne 10b",
            // Drop the bytes before the data, each when it has come: RFNE in SR
            "ldr r1, [r7, #8]",
            "cmp r1, #0",
            "beq 9f",
            "4:",
            "ldr r3, [r4, #0x28]",
            "movs r2, #0x8",
            "tst r3, r2",
            "beq 4b",
            "mov r2, r4",
            "adds r2, 0x60",
            "ldrb r3, [r2]",
            "subs r1, #1",
            "bne 4b",
            // Read the data
            "9:",
            "ldr r0, [r7, #12]",
            "ldr r1, [r7, #16]",
            "2:",
            "ldr r3, [r4, #0x28]",
            "movs r2, #0x8",
            "tst r3, r2",
            "beq 2b",
            "mov r2, r4",
            "adds r2, 0x60",
            "ldrb r3, [r2]",
            "strb r3, [r0]",
            "adds r0, #1",
            "subs r1, #1",
            "bne 2b",
            // Disable, and put CTRLR1 back, which nobody else does
            "movs r0, #0",
            "str r0, [r4, #8]",
            "str r0, [r4, #4]",
            "ldr r4, [r5, #8]",
            "blx r4", // enter_xip()
            "pop {{r6, r7}}",
            in("r0") command,
            in("r1") functions,
            out("r2") _,
            out("r3") _,
            out("r4") _,
            out("r5") _,
            clobber_abi("C"),
        );
    }
}
