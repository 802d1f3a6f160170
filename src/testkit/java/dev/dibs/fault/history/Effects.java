package dev.dibs.fault.history;

import java.util.List;
import java.util.Map;

/**
 * The contents of the application's tables after all workers have ended.
 *
 * @param counts for each table, how many rows a run has counted as completed
 */
public record Effects(List<LedgerRow> ledger, List<JobRow> jobs, List<EffectRow> effects, Map<String, Long> counts) {

    /** Written under a guard: its number is one more than the last one of the name that its writer saw. */
    public record LedgerRow(String name, long number, long fence, String op) {}

    /** A row to be claimed, and how often it was completed; by a finished pass over ranges: once. */
    public record JobRow(String job, long completions) {}

    /** Written in the transaction that completed a row or consumed a token. */
    public record EffectRow(String target, String op) {}
}
