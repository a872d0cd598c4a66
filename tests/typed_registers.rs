//! Every typed register: getters, setters and tables agree.

#![cfg(all(feature = "gfx9", feature = "gfx10", feature = "gfx103", feature = "gfx11", feature = "gfx115", feature = "gfx12"))]

#[path = "support/property.rs"]
mod property;

use pm4::chip::Gfx;
use pm4::regs::{self, BitField, Register, RegisterPlace, gfx12, layout};
use strum::IntoEnumIterator;

/// The struct of a layout in a uniform form for the tests.
struct Typed {
    rust: &'static str,
    amd: &'static str,
    places: [Option<RegisterPlace>; 6],
    fields: &'static [(&'static str, BitField)],
    /// Creates the struct, calls all its getters, formats it, and returns its word.
    read: fn(u32) -> (u32, String),
    /// The word rebuilt from 0 by passing each getter's value to the setter.
    rebuilt: fn(u32) -> u32,
}

macro_rules! typed_registers {
    ($($name:ident { $($getter:ident $with:ident $mask:ident $amd:literal,)* })*) => {
        const TYPED: &[Typed] = &[$(Typed {
            rust: stringify!($name),
            amd: layout::$name::NAME,
            places: layout::$name::PLACES,
            fields: &[$(($amd, layout::$name::$mask),)*],
            read: |word| {
                let register = layout::$name::from(word);
                $(let _ = register.$getter();)*
                (u32::from(register), format!("{register:?}"))
            },
            rebuilt: |word| {
                let register = layout::$name::from(word);
                u32::from(layout::$name::from(0)$(.$with(register.$getter()))*)
            },
        },)*];
    };
}
include!(concat!(env!("OUT_DIR"), "/typed_list.rs"));

/// For any bits, every struct can be created, read and formatted, and returns the same bits.
#[test]
fn reading_never_fails_and_keeps_all_bits() {
    fn keeps(word: u32) -> bool {
        TYPED.iter().all(|typed| (typed.read)(word).0 == word)
    }
    assert!(keeps(0) && keeps(u32::MAX));
    assert!((0..32).all(|bit| keeps(1 << bit) && keeps(!(1 << bit))));
    property::property("a typed register keeps its word", 300, keeps as fn(u32) -> bool);
}

#[test]
fn setters_put_back_what_getters_give() {
    fn property(word: u32) -> bool {
        TYPED.iter().all(|typed| {
            let fields = typed.fields.iter().fold(0, |mask, (_, field)| mask | field.mask());
            (typed.rebuilt)(word) == word & fields
        })
    }
    property::property("a setter puts back what the getter gives", 300, property as fn(u32) -> bool);
}

#[test]
fn typed_registers_agree_with_the_tables() {
    for typed in TYPED {
        let mut somewhere = false;
        for gfx in Gfx::iter() {
            let Some(place) = typed.places[gfx.index()] else { continue };
            somewhere = true;
            let info = regs::find(gfx, typed.amd).expect("a register").info();
            assert!(info.typed, "{gfx} {}", typed.amd);
            assert_eq!((info.addr, info.count, info.stride), (place.addr, place.count, place.stride), "{gfx} {}", typed.rust);
            let table: Vec<_> = info.fields.iter().map(|field| (field.name, field.lo, field.hi)).collect();
            let own: Vec<_> = typed.fields.iter().map(|(name, place)| (*name, place.lo(), place.lo() + place.width() - 1)).collect();
            assert_eq!(own, table, "{gfx} {}", typed.rust);
        }
        assert!(somewhere, "{} is on no generation", typed.rust);
    }
    for gfx in Gfx::iter() {
        let typed = TYPED.iter().filter(|typed| typed.places[gfx.index()].is_some()).count();
        assert_eq!(typed, regs::registers(gfx).filter(|info| info.typed).count(), "{gfx}: one struct for each typed register");
    }
}

#[test]
fn a_printed_register_names_its_fields_and_values() {
    let typed = |rust| TYPED.iter().find(|typed| typed.rust == rust).expect("a struct");
    let (_, text) = (typed("DbDfsmControl").read)(0x6);
    assert_eq!(text, "DB_DFSM_CONTROL { PUNCHOUT_MODE: FORCE_OFF, POPS_DRAIN_PS_ON_OVERLAP: 1, .. }");
    assert_eq!(format!("{:?}", gfx12::DbZInfo::from(0)), "DB_Z_INFO { .. }");
}
