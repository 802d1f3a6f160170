package dev.dibs.internal.runs;

import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;

/**
 * The counts of one worker, and the counts that the database has.
 *
 * <p>Only this worker writes its row. Each transaction in which a row is completed or fails writes the total counts. So the row shows,
 * after a lost answer, whether the transaction took effect.
 *
 * <p>For one worker's thread.
 */
final class RunCounters {

    private final RunTable table;
    private final ClaimEngine<?> claims;
    private final String worker;
    private RunTable.Sum known = new RunTable.Sum(0, 0);
    /** What the database has. */
    private RunTable.Sum stored = known;
    /** The same, or what is on its way there. */
    private RunTable.Sum sent = known;

    private boolean doubtful;

    RunCounters(RunTable table, ClaimEngine<?> claims, String worker) {
        this.table = table;
        this.claims = claims;
        this.worker = worker;
    }

    RunTable.Sum known() {
        return known;
    }

    boolean isInDoubt() {
        return doubtful;
    }

    /** Corrects the database's counts if they are wrong. It comes before any other count, which would hide the difference. */
    void correct() throws SqlFailure {
        if (!doubtful && !stored.equals(known)) {
            claims.run(Steps.of(table.counting(worker, known)));
            stored = known;
            sent = known;
        }
    }

    /** As part of a transaction: adds this much. */
    Call<Boolean> counting(long done, long failed) {
        sent = plus(done, failed);
        return table.counting(worker, sent);
    }

    /** The same for completed rows, and reads the run's switches. */
    Call<RunSwitches> countingAndReading(long done) {
        sent = plus(done, 0);
        return table.countingAndReading(worker, sent);
    }

    /** The transaction took effect; this much of it was true. */
    void answered(long done, long failed) {
        known = plus(done, failed);
        stored = sent;
    }

    /** Runs steps of which one counts. */
    <R> List<R> run(Steps<R> steps) throws SqlFailure {
        try {
            return claims.run(steps);
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.UNKNOWN) {
                doubt();
            } else {
                undone();
            }
            throw e;
        }
    }

    /** The transaction did not take effect. */
    void undone() {
        sent = stored;
    }

    /** It is unknown whether the transaction took effect. */
    void doubt() {
        doubtful = true;
    }

    /** After a lost answer: what the last transaction has counted. If it took effect, all of its count is true; else it is zero. */
    RunTable.Sum resolve() throws SqlFailure {
        RunTable.Sum before = known;
        RunTable.Sum there = table.settle(worker).orElse(known);
        if (!sent.equals(stored) && there.equals(sent)) {
            known = there;
        }
        stored = there;
        sent = there;
        doubtful = false;
        return new RunTable.Sum(known.done() - before.done(), known.failed() - before.failed());
    }

    private RunTable.Sum plus(long done, long failed) {
        return new RunTable.Sum(known.done() + done, known.failed() + failed);
    }
}
