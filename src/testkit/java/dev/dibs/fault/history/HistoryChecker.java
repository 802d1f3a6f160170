package dev.dibs.fault.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Looks for broken promises in the operations and effects of processes. It may miss one, but never reports one that was kept. */
public final class HistoryChecker {
    private final List<Rule> rules;

    /**
     * With the settings that the processes share.
     *
     * @param permits of each semaphore
     * @param atLeast the minimum hold of some locks
     * @param period of all work that is done once a period
     */
    public HistoryChecker(Map<String, Long> permits, Map<String, Duration> atLeast, Duration period) {
        rules = List.of(
                new FenceRule(),
                new HoldRule(permits),
                new HoldAtLeastRule(atLeast),
                new BreakRule(),
                new LedgerRule(),
                new ClaimRule(),
                new CountRule(),
                new TokenRule(),
                new OnceRule(period.toNanos()),
                new InterruptRule());
    }

    /** The evidence of each promise that was broken. */
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>(history.flaws());
        rules.forEach(rule -> broken.addAll(rule.broken(history, effects)));
        return broken;
    }
}
