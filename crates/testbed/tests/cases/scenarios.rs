//! What is more than one request: deaths from outside, callers that leave, queues, randomness, the whole global.

mod capacity;
mod code_cache;
mod death;
mod globals;
mod handles;
mod isolation;
mod lines;
mod long_run;
mod maps;
mod outbound;
mod syscalls;
mod telemetry;
mod usage;

use crate::Suite;

type Scenario = fn(&Suite) -> Result<(), String>;

/// Every scenario with its name.
pub(crate) fn all() -> Vec<(&'static str, Scenario)> {
    vec![
        ("scenario::every_global_is_listed_with_a_reason", globals::every_global_is_listed_with_a_reason),
        ("scenario::a_killed_worker_costs_its_own_caller", death::a_killed_worker_costs_its_own_caller),
        (
            "scenario::a_worker_killed_between_lines_keeps_its_lines",
            death::a_worker_killed_between_lines_keeps_its_lines,
        ),
        ("scenario::a_killed_template_is_replaced", death::a_killed_template_is_replaced),
        ("scenario::a_dropped_call_frees_its_place", capacity::a_dropped_call_frees_its_place),
        (
            "scenario::a_host_function_that_panics_costs_its_own_run",
            capacity::a_host_function_that_panics_costs_its_own_run,
        ),
        ("scenario::past_the_queue_is_refused_at_once", capacity::past_the_queue_is_refused_at_once),
        ("scenario::a_disposed_executor_says_so", capacity::a_disposed_executor_says_so),
        ("scenario::dispose_leaves_no_process", capacity::dispose_leaves_no_process),
        ("scenario::a_retained_execution_leaves_its_place", handles::a_retained_execution_leaves_its_place),
        ("scenario::bodies_of_past_invocations_are_freed", handles::bodies_of_past_invocations_are_freed),
        ("scenario::retained_executions_are_bounded", handles::retained_executions_are_bounded),
        ("scenario::an_idle_execution_is_closed", handles::an_idle_execution_is_closed),
        ("scenario::invocations_take_turns_in_order", handles::invocations_take_turns_in_order),
        ("scenario::closing_answers_everyone", handles::closing_answers_everyone),
        ("scenario::a_dropped_invocation_costs_nothing", handles::a_dropped_invocation_costs_nothing),
        ("scenario::a_death_between_invocations_is_told", handles::a_death_between_invocations_is_told),
        ("scenario::a_killed_retained_worker_is_told", handles::a_killed_retained_worker_is_told),
        ("scenario::dispose_closes_retained_executions", handles::dispose_closes_retained_executions),
        (
            "scenario::modules_that_come_again_are_compiled_once",
            code_cache::modules_that_come_again_are_compiled_once,
        ),
        ("scenario::code_that_is_none_is_ignored", code_cache::code_that_is_none_is_ignored),
        ("scenario::every_source_of_randomness_differs", isolation::every_source_of_randomness_differs),
        ("scenario::runs_at_one_time_do_not_meet", isolation::runs_at_one_time_do_not_meet),
        ("scenario::a_line_arrives_while_the_program_spins", lines::a_line_arrives_while_the_program_spins),
        (
            "scenario::a_line_arrives_before_the_call_behind_it",
            lines::a_line_arrives_before_the_call_behind_it,
        ),
        ("scenario::usage_says_what_was_spent", usage::usage_says_what_was_spent),
        ("scenario::telemetry_is_as_documented", telemetry::telemetry_is_as_documented),
        (
            "scenario::usage_of_a_run_that_was_ended_says_what_the_host_knows",
            usage::usage_of_a_run_that_was_ended_says_what_the_host_knows,
        ),
        ("scenario::calls_on_the_list_are_needed", syscalls::calls_on_the_list_are_needed),
        (
            "scenario::ten_thousand_modules_in_a_row_a_ring_and_a_star",
            maps::ten_thousand_modules_in_a_row_a_ring_and_a_star,
        ),
        (
            "scenario::a_map_past_the_payload_bound_is_refused_in_band",
            maps::a_map_past_the_payload_bound_is_refused_in_band,
        ),
        ("scenario::a_run_that_is_over_drops_its_requests", outbound::a_run_that_is_over_drops_its_requests),
        (
            "scenario::a_run_that_is_given_up_drops_its_requests",
            outbound::a_run_that_is_given_up_drops_its_requests,
        ),
        ("scenario::a_long_run_leaks_nothing", long_run::a_long_run_leaks_nothing),
        (
            "scenario::twice_as_much_as_fits_is_answered_once_each",
            long_run::twice_as_much_as_fits_is_answered_once_each,
        ),
    ]
}
