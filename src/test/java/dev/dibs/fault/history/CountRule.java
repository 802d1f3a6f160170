package dev.dibs.fault.history;

import java.util.ArrayList;
import java.util.List;

/** A run has counted each row that was completed, once. */
final class CountRule implements Rule {

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        effects.counts().forEach((table, counted) -> {
            long done = effects.jobs().stream()
                    .filter(job -> job.job().startsWith(table + ":") && job.completions() > 0)
                    .count();
            if (done != counted) {
                broken.add("miscounted: " + counted + " by the run of " + table + ", and " + done + " are done");
            }
        });
        return broken;
    }
}
