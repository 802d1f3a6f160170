package dev.dibs.fault.history;

import java.util.ArrayList;
import java.util.List;

/**
 * A run has counted each completed row once. A worker reports its counts at its end: if the database has forgotten some rows in a crash,
 * they were counted all the same.
 */
final class CountRule implements Rule {

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        boolean forgets = history.of(OperationKind.CRASH).findAny().isPresent();
        effects.counts().forEach((table, counted) -> {
            long done = effects.jobs().stream()
                    .filter(job -> job.job().startsWith(table + ":") && job.completions() > 0)
                    .count();
            if (forgets ? done > counted : done != counted) {
                broken.add("miscounted: " + counted + " by the run of " + table + ", and " + done + " are done");
            }
        });
        return broken;
    }
}
