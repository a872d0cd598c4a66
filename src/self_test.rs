//! Tests of what is private. `tests/private.rs` runs them; as unit tests they would compile the whole crate once more.

use crate::{draw, waves};

/// Each by its name. One that is not in the list is an error of the lints: nothing uses it.
pub const ALL: &[(&str, fn())] = &[
    ("workarounds_may_run_in_any_order_and_again", draw::errata::table::self_test::workarounds_may_run_in_any_order_and_again),
    ("every_erratum_has_its_entry_and_works_where_it_says", draw::errata::table::self_test::every_erratum_has_its_entry_and_works_where_it_says),
    ("workarounds_act_only_on_the_chips_of_their_erratum", draw::errata::table::self_test::workarounds_act_only_on_the_chips_of_their_erratum),
    (
        "vgt_flush_comes_between_ngg_and_legacy_and_not_the_other_way",
        draw::errata::situation::self_test::vgt_flush_comes_between_ngg_and_legacy_and_not_the_other_way,
    ),
    (
        "vgt_flush_comes_between_geometry_shaders_of_different_cut_modes",
        draw::errata::situation::self_test::vgt_flush_comes_between_geometry_shaders_of_different_cut_modes,
    ),
    ("sq_non_event_comes_before_a_change_of_primitive_restart", draw::errata::situation::self_test::sq_non_event_comes_before_a_change_of_primitive_restart),
    ("scissors_are_written_again_when_the_context_rolled", draw::errata::situation::self_test::scissors_are_written_again_when_the_context_rolled),
    (
        "events_follow_draws_with_hiz_rates_of_vertices_and_tessellation",
        draw::errata::situation::self_test::events_follow_draws_with_hiz_rates_of_vertices_and_tessellation,
    ),
    (
        "three_events_follow_draws_that_streamout_has_counted_and_no_others",
        draw::errata::situation::self_test::three_events_follow_draws_that_streamout_has_counted_and_no_others,
    ),
    ("instance_packing_is_off_for_adjacency_with_statistics", draw::errata::situation::self_test::instance_packing_is_off_for_adjacency_with_statistics),
    (
        "every_register_of_the_preamble_sets_only_named_bits_and_says_why",
        draw::decide::preamble::self_test::every_register_of_the_preamble_sets_only_named_bits_and_says_why,
    ),
    ("runs_of_slots_are_their_slots", crate::packet::known_self_test::runs_of_slots_are_their_slots),
    ("runs_of_user_sgprs_hold_what_is_wanted", draw::record::changes::self_test::runs_of_user_sgprs_hold_what_is_wanted),
    ("differing_values_are_found_one_by_one", crate::packet::known_self_test::differing_values_are_found_one_by_one),
    ("what_is_rolled_back_was_never_held", draw::record::held::self_test::what_is_rolled_back_was_never_held),
    ("what_changes_is_written_in_runs_and_groups_stay_whole", draw::record::held::self_test::what_changes_is_written_in_runs_and_groups_stay_whole),
    ("draws_are_plain_up_to_the_end_of_a_chunk", draw::record::plain_draws::self_test::draws_are_plain_up_to_the_end_of_a_chunk),
    #[cfg(feature = "input")]
    ("a_line_that_is_too_long_is_cut_and_reported", crate::input::self_test::a_line_that_is_too_long_is_cut_and_reported),
    #[cfg(feature = "input")]
    ("an_address_keeps_its_first_names", crate::hang::self_test::an_address_keeps_its_first_names),
    ("waves_start_with_as_many_vgprs_as_their_items_take", draw::programs::wave_start::self_test::waves_start_with_as_many_vgprs_as_their_items_take),
    ("scalar_instructions_compute_the_expected_results", waves::alu::self_test::scalar_instructions_compute_the_expected_results),
    #[cfg(feature = "gfx11")]
    ("a_sample_on_a_shared_edge_belongs_to_one_triangle", waves::coverage::self_test::a_sample_on_a_shared_edge_belongs_to_one_triangle),
    #[cfg(feature = "gfx11")]
    ("top_and_left_edges_count_in", waves::coverage::self_test::top_and_left_edges_count_in),
];
