package dev.dibs.internal.runs;

import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.runs.RunWorkers;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run: no row is open. A dead row becomes wanted, then open, and may die again. So the dead and the wanted rows are counted
 * before the open ones, and again after them.
 */
final class RunFinish {

    private RunFinish() {}

    /**
     * Ends the run if no row is left; returns how it has ended, or null if it goes on.
     *
     * @param before the run as it was read before the open rows are
     */
    static RunWorkers.@Nullable End of(RunTable table, ClaimEngine<?> claims, RunRow before) throws SqlFailure {
        if (before.wanted() > 0 || claims.isSomethingLeft()) {
            return null;
        }
        table.finish();
        RunRow now = table.read().orElse(null);
        if (now == null || now.finishedAt() == null) {
            return null;
        }
        if (now.wanted() > 0 || now.dead() < before.dead()) {
            table.reopen();
            return null;
        }
        table.forgetRetries();
        return now.dead() == 0 ? RunWorkers.End.FINISHED : RunWorkers.End.INCOMPLETE;
    }
}
