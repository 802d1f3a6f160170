package dev.dibs.internal.runs;

import dev.dibs.internal.claims.DatabaseClaims;
import dev.dibs.internal.sql.Call;
import dev.dibs.internal.sql.SqlFailure;
import java.util.List;
import java.util.Optional;

/**
 * What one worker has done, and what the database has of that.
 *
 * <p>Nobody else writes the worker's row, and each transaction in which something is completed or fails writes the whole count: so
 * the row tells, after a lost answer, whether the transaction took effect.
 *
 * <p>For one worker's thread.
 */
final class RunCounters {

    private final RunTable table;
    private final String worker;
    private RunTable.Sum known = new RunTable.Sum(0, 0);
    private RunTable.Sum reported = known;
    private boolean doubtful;

    RunCounters(RunTable table, String worker) {
        this.table = table;
        this.worker = worker;
    }

    RunTable.Sum known() {
        return known;
    }

    boolean isDoubtful() {
        return doubtful;
    }

    /** Puts right what the database has, if that is wrong; before anything else is counted, or it could not be told apart. */
    void correct(DatabaseClaims<?> claims) throws SqlFailure {
        if (!doubtful && !reported.equals(known)) {
            claims.send(List.of(table.counting(worker, known)));
            reported = known;
        }
    }

    /** As a part of a transaction: so much more. */
    Call<Boolean> counting(long done, long failed) {
        reported = plus(done, failed);
        return table.counting(worker, reported);
    }

    /** The transaction took effect; that much was true of it. */
    void answered(long done, long failed) {
        known = plus(done, failed);
    }

    /** It did not. */
    void undone() {
        reported = known;
    }

    /** Nobody knows whether it did. */
    void doubt() {
        doubtful = true;
    }

    /** After a lost answer: whether the last transaction that counted took effect. If so, all of it is true. */
    boolean resolve() throws SqlFailure {
        Optional<RunTable.Sum> there = table.settle(worker);
        boolean took =
                !reported.equals(known) && there.isPresent() && there.get().equals(reported);
        if (took) {
            known = reported;
        } else {
            reported = there.orElse(known);
        }
        doubtful = false;
        return took;
    }

    private RunTable.Sum plus(long done, long failed) {
        return new RunTable.Sum(known.done() + done, known.failed() + failed);
    }
}
