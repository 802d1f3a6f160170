package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.store.RefusedRows;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.runs.RunWorkers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run: no row is open. A dead row that is retried becomes open, and may die again. So the dead rows, and those to be retried,
 * are counted before the open ones, and again after them.
 */
final class RunFinish {

    private RunFinish() {}

    /**
     * Ends the run if no row is left; returns how it has ended, or null if it goes on.
     *
     * @param before the run as it was read before the open rows are
     */
    static RunWorkers.@Nullable End of(RunTable table, ClaimEngine<?> claims, RunRow before) throws SqlFailure {
        if (before.deadToRetry() > 0
                || takeOver(table, claims)
                || isSomethingLeft(table, claims)
                || (before.dead() > 0 && forgetProcessed(table, claims))) {
            return null;
        }
        table.finish();
        RunRow now = table.read().orElse(null);
        if (now == null || now.finishedAt() == null) {
            return null;
        }
        if (now.deadToRetry() > 0 || now.dead() < before.dead() || takeOver(table, claims)) {
            table.reopen();
            return null;
        }
        table.forgetRetries();
        return now.dead() == 0 ? RunWorkers.End.FINISHED : RunWorkers.End.INCOMPLETE;
    }

    /** Whether any row is left but those that the database does not mark, and that are dead letters of this run. */
    private static boolean isSomethingLeft(RunTable table, ClaimEngine<?> claims) throws SqlFailure {
        List<RowKey> refused = claims.store().refused().foundAfter(0);
        if (refused.isEmpty()) {
            return claims.isSomethingLeft();
        }
        Set<String> dead = table.failedRows("dead", Integer.MAX_VALUE).stream()
                .map(RunTable.FailedRow::key)
                .collect(Collectors.toSet());
        List<RowKey> given =
                refused.stream().filter(key -> dead.contains(StoredKey.of(key))).toList();
        return !claims.run(Steps.of(claims.store().left(given))).isEmpty();
    }

    /**
     * Records dead rows of these claims that a run of another name gave up, so that the status, the list and the retry of this run have
     * them. Returns whether there were any: then the worker looks at everything again.
     */
    private static boolean takeOver(RunTable table, ClaimEngine<?> claims) throws SqlFailure {
        Map<String, RowKey> dead = new LinkedHashMap<>();
        claims.dead().forEach(key -> dead.put(StoredKey.of(key), key));
        if (dead.isEmpty()) {
            return false;
        }
        table.failedRows("dead", Integer.MAX_VALUE).forEach(row -> dead.remove(row.key()));
        boolean found = false;
        for (RowKey key : dead.values()) {
            RunTable.FailedRow known = table.failedRow(key).orElse(null);
            if (known == null || known.state().equals("retry")) {
                claims.run(Steps.of(table.takingOver(key, known == null ? 0 : known.attempts())));
                found = true;
            }
        }
        return found;
    }

    /**
     * Forgets dead rows that the database did not mark, and that are no longer open: to a worker of another process they were free, so that
     * it knew no entry to forget. Returns whether there were any.
     */
    private static boolean forgetProcessed(RunTable table, ClaimEngine<?> claims) throws SqlFailure {
        boolean found = false;
        for (RunTable.FailedRow row : table.failedRows("dead", Integer.MAX_VALUE)) {
            if (RefusedRows.WHY.equals(row.message()) && !StoredKey.isCut(row.key())) {
                RowKey key = claims.table().parse(row.key());
                Call<Boolean> open = claims.table().stillOpen(table.database().statements(), List.of(key));
                if (claims.run(Steps.of(open)).isEmpty()) {
                    claims.run(Steps.of(table.forgetting(key)));
                    found = true;
                }
            }
        }
        return found;
    }
}
