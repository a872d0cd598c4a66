//! Tests of what is private in the library (`src/self_test.rs`): orders of workarounds, fast paths of the recorder, coverage of waves.

#[test]
fn private_modules_pass_their_self_tests() {
    for (name, test) in pm4::self_test::ALL {
        println!("{name}");
        test();
    }
}
