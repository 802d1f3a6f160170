package dev.dibs.fault.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Looks for broken promises in the operations and effects of processes. It may miss one, but never reports one that was kept. */
public final class HistoryChecker {
    /** Its rows are claimed by key. */
    public static final String PER_KEY = "fault_per_key_job";

    private final Map<String, Long> permits;
    private final Map<String, Duration> atLeast;
    private final Duration period;

    /**
     * With the settings that the processes share.
     *
     * @param permits of each semaphore
     * @param atLeast the minimum hold of some locks
     * @param period of all work that is done once a period
     */
    public HistoryChecker(Map<String, Long> permits, Map<String, Duration> atLeast, Duration period) {
        this.permits = permits;
        this.atLeast = atLeast;
        this.period = period;
    }

    /** The evidence of each promise that was broken. */
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>(history.flaws());
        List<Hold> holds = Hold.of(history);
        HoldRules.fences(holds, broken);
        HoldRules.exclusion(holds, permits, broken);
        HoldRules.minimum(history, holds, atLeast, broken);
        HoldRules.period(history, holds, period.toNanos(), broken);
        WriteRules.breaks(history, effects, broken);
        WriteRules.ledger(history, effects, broken);
        WriteRules.interrupts(history, broken);
        WorkRules.completions(history, effects, broken);
        WorkRules.perKey(history, PER_KEY, broken);
        WorkRules.counts(history, effects, broken);
        WorkRules.tokens(history, effects, broken);
        return broken;
    }
}
