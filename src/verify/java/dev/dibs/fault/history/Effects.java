package dev.dibs.fault.history;

import java.util.List;
import java.util.Map;

/**
 * What the application's tables hold at the end, when everybody has gone.
 *
 * @param counts how many rows of a table a run says that it has completed
 */
public record Effects(List<LedgerRow> ledger, List<JobRow> jobs, List<EffectRow> effects, Map<String, Long> counts) {

    /** Written under a guard: its number is one more than the last one of the name that its writer saw. */
    public record LedgerRow(String name, long number, long fence, String op) {}

    /** A row to be claimed, and how often it was completed; by a pass over ranges that has come to its end: once. */
    public record JobRow(String job, long completions) {}

    /** Written in the transaction that completed a row or used a token up. */
    public record EffectRow(String target, String op) {}
}
