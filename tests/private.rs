//! Tests of what is private in the library (`src/self_test.rs`): orders of workarounds, fast ways of the recorder, coverage of waves.

#[test]
fn what_is_private_holds() {
    for (name, test) in pm4::self_test::ALL {
        println!("{name}");
        test();
    }
}
