//! Statements about draws and counts (`report::Assertions`).

use AssertionState::{Fails, Holds, Unknown};
use pm4::chip::{Chip, Gfx};
use pm4::cp::CommandProcessor;
use pm4::packet::Queue;
use pm4::report::{AssertionState, Assertions};

/// DB_SHADER_CONTROL = Z_ORDER RE_Z (2 in bits 5:4), a draw; LATE_Z with the ordered section (bit 16), a draw; a dispatch.
const WORDS: [u32; 16] = [0xC001_6900, 0x203, 0x20, 0xC001_2D00, 3, 2, 0xC001_6900, 0x203, 1 << 16, 0xC001_2D00, 3, 2, 0xC003_1502, 1, 1, 1];

fn states(text: &str, is_partial: bool) -> Vec<AssertionState> {
    let mut assertions = Assertions::parse(text, Gfx::Gfx11).expect("statements");
    let words = [&WORDS[..], &[1]].concat();
    let mut cp = CommandProcessor::new(Chip::Navi31);
    if is_partial {
        cp.partial();
    }
    cp.submit(Queue::Graphics, "main", &words);
    assertions.run(&mut cp, &mut ());
    assertions.results().map(|result| result.state).collect()
}

#[test]
fn statements_hold_or_fail_by_what_draws_run_with() {
    for (statement, state) in [
        ("every draw: DB_SHADER_CONTROL.Z_ORDER == LATE_Z", Fails),
        ("every draw: DB_SHADER_CONTROL.Z_ORDER <= 2", Holds),
        ("some draw: DB_SHADER_CONTROL.Z_ORDER == LATE_Z", Holds),
        ("some draw: DB_SHADER_CONTROL == 0x10000", Holds),
        ("some draw: DB_SHADER_CONTROL.Z_ORDER == RE_Z and DB_SHADER_CONTROL.PRIMITIVE_ORDERED_PIXEL_SHADER == 1", Fails),
        ("no draw: DB_SHADER_CONTROL.Z_ORDER == EARLY_Z_THEN_RE_Z", Holds),
        ("no draw: DB_SHADER_CONTROL.Z_ORDER == RE_Z", Fails),
        ("every draw where DB_SHADER_CONTROL.PRIMITIVE_ORDERED_PIXEL_SHADER == 1: DB_SHADER_CONTROL.Z_ORDER == LATE_Z", Holds),
        ("every draw where DB_SHADER_CONTROL.PRIMITIVE_ORDERED_PIXEL_SHADER == 0: DB_SHADER_CONTROL.Z_ORDER == LATE_Z", Fails),
        ("every dispatch: DB_SHADER_CONTROL.Z_ORDER == LATE_Z", Holds),
        ("count draws == 2", Holds),
        ("count draws < 2", Fails),
        ("count dispatches >= 1", Holds),
        ("count DRAW_INDEX_AUTO == 2", Holds),
        ("count SET_CONTEXT_REG != 2", Fails),
        ("count submissions == 1", Holds),
        ("count ENC-01 == 0", Holds),
    ] {
        assert_eq!(states(statement, false), [state], "{statement}");
    }
}

/// In a piece of a stream, a register that no packet has set has an unknown value.
#[test]
fn what_is_unknown_decides_nothing() {
    for (statement, state) in [
        ("every draw: CB_TARGET_MASK == 0", Unknown),
        ("no draw: CB_TARGET_MASK == 0", Unknown),
        ("some draw: CB_TARGET_MASK == 0", Unknown),
        ("every draw where CB_TARGET_MASK == 0: DB_SHADER_CONTROL.Z_ORDER == LATE_Z", Unknown),
        // Whatever the mask is, the other conditions decide.
        ("no draw where CB_TARGET_MASK == 0: DB_SHADER_CONTROL.Z_ORDER == EARLY_Z_THEN_RE_Z", Holds),
        ("every draw: CB_TARGET_MASK == 0 and DB_SHADER_CONTROL.Z_ORDER == RE_Z", Fails),
    ] {
        assert_eq!(states(statement, true), [state], "{statement}");
    }
}

#[test]
fn a_line_that_is_no_statement_is_named() {
    for (text, message) in [
        ("every draw DB_SHADER_CONTROL == 1", "line 1: a statement is `every|some|no draw|dispatch"),
        ("\n# x\neach draw: A == 1", "line 3: `each` is not every, some or no"),
        ("no pixel: A == 1", "line 1: `pixel` is not draw or dispatch"),
        ("no draw: A == 1", "line 1: gfx11 has no register A"),
        ("no draw: DB_SHADER_CONTROL.A == 1", "line 1: DB_SHADER_CONTROL has no field A on gfx11"),
        ("no draw: DB_SHADER_CONTROL.Z_ORDER == 4", "line 1: 4 does not fit into DB_SHADER_CONTROL.Z_ORDER, which has 2 bits"),
        ("no draw: DB_SHADER_CONTROL.Z_ORDER = 1", "line 1: `=` is no comparison"),
        ("no draw: DB_SHADER_CONTROL.Z_ORDER==1", "is no condition; write REGISTER.FIELD == VALUE, with spaces"),
        ("no draw: DB_DFSM_CONTROL == 1", "line 1: gfx11 has no register DB_DFSM_CONTROL"),
        ("count triangles == 1", "line 1: triangles is no packet of gfx11, no rule, and none of submissions,"),
        ("count draws == many", "line 1: many is no number"),
        ("count draws", "line 1: a count is"),
    ] {
        let error = Assertions::parse(text, Gfx::Gfx11).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}
