//! What every store promises, a function for each promise. A backend passes all of them, unchanged.

pub mod crisis;

pub mod holds;

pub mod log;

pub mod logins;

pub mod notices;

pub mod parties;

pub mod retention;

pub mod rules;

pub mod settings;

pub mod threats;

pub mod votes;

pub mod work;

/// A test for each promise, of stores at places that `$place` makes.
macro_rules! keeps_every_promise {
    ($place:expr) => {
        keeps_every_promise! { $place;
            settings::a_setting_is_what_it_was_last_set_to,
            settings::each_change_makes_another_version,

            log::records_are_kept_in_their_order,
            log::a_range_of_records_ends_where_it_should,
            log::records_are_found_by_session,
            log::a_decision_is_found_by_the_name_of_its_call,
            log::the_tree_grows_with_the_log,
            log::checkpoints_are_kept_by_size,

            holds::a_hold_is_kept_as_it_was_opened,
            holds::a_ticket_names_one_hold,
            holds::a_call_that_cannot_come_back_finds_no_hold,
            holds::a_change_keeps_what_it_does_not_name,
            holds::changes_of_one_transaction_are_seen_in_it_and_add_up,
            holds::what_touches_life_is_shown_first,
            holds::what_is_due_comes_in_time,

            holds::each_that_waits_has_a_place_among_them,
            holds::what_a_person_made_of_a_call_is_kept_as_long_as_the_hold,
            votes::each_speaks_once_and_is_heard_last,
            votes::those_who_are_to_be_asked_come_in_time,
            votes::what_is_to_be_looked_at_waits_for_somebody,

            rules::counters_add_up,
            rules::a_key_is_used_once,
            rules::shelves_remember_every_sort_of_note,
            rules::the_version_of_a_shelf_grows_with_each_note,
            rules::shelves_at_hand_follow_what_is_durable,

            parties::sessions_form_a_tree,
            parties::sessions_are_paged_the_last_seen_first,
            parties::a_session_knows_whom_it_has_started,
            parties::agents_are_known_by_where_they_run,
            parties::a_session_counts_its_verdicts,
            parties::a_session_that_is_seen_again_has_not_ended,
            parties::work_sees_the_sessions_it_has_seen,
            parties::a_session_has_the_warrant_it_was_given,
            parties::agents_are_the_sum_of_their_sessions,
            parties::happenings_are_kept_by_session,

            logins::who_is_signed_in_is_known_until_they_sign_out,
            logins::tries_are_counted_and_forgotten_after_a_day,

            threats::a_threat_is_new_then_again_then_open_again,
            threats::open_threats_are_those_nobody_has_looked_at,

            notices::notices_are_due_by_channel_until_something_became_of_them,

            crisis::what_was_spoken_of_is_remembered_by_scope,

            retention::cards_go_and_answers_stay,
            retention::events_go_and_records_never,
            retention::what_rules_no_longer_need_goes,
            retention::what_was_used_once_outlives_every_warrant,
            retention::counters_go_when_nobody_asks_for_them_any_more,

            work::work_that_fails_leaves_nothing_behind,
            work::work_that_fails_does_not_take_others_along,
            work::whoever_is_told_finds_it_durable,
            work::looking_changes_nothing,
            work::two_stores_see_each_others_work,
            work::another_stores_work_is_noticed,
            work::work_of_ones_own_is_hardly_news,
            work::the_last_to_let_go_may_be_work,
            work::a_mistake_of_whoever_is_told_is_theirs_alone,
            work::a_full_queue_answers_at_once,
            work::a_store_that_goes_writes_what_was_queued,
            work::everything_is_there_after_opening_again,
        }
    };
    ($place:expr; $($subject:ident::$promise:ident,)*) => {
        $(#[test]
        fn $promise() {
            crate::promises::$subject::$promise(&$place);
        })*
    };
}
