package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decides whether one piece of work that the database refused is sent again. A refused one has changed nothing.
 *
 * <p>The database may be unable to store the texts for people: they are put in ASCII, and the work is sent a second time. It may also have a
 * stale plan.
 *
 * <p>For one thread at a time.
 */
final class Resend {

    private static final int MOST_LABELS = 100;

    /** As many connections as a pool usually has, and some, each refuse a statement once. */
    private static final int STALE_PLANS = 20;

    private final Set<Prose> refusedLabels;
    private final List<Prose> escaped = new ArrayList<>();
    private boolean inAscii;
    private boolean mayBeRefused;
    private int stalePlans;

    /**
     * For one piece of work.
     *
     * @param refusedLabels labels that are in ASCII from the beginning, since the database has refused them before
     */
    Resend(Set<Prose> refusedLabels) {
        this.refusedLabels = refusedLabels;
    }

    /**
     * The work may also be refused because of a stale plan. After a table was changed, each connection that has prepared the statement refuses
     * it once, and a pool may close that connection. A feature that the database does not have looks the same.
     */
    Resend orStalePlan() {
        stalePlans = STALE_PLANS;
        return this;
    }

    /** Before the values are sent. */
    void prepare(Params params) {
        escaped.addAll(params.escape(prose -> inAscii || refusedLabels.contains(prose)));
        mayBeRefused |= params.hasForeignProse();
    }

    /** The database has accepted all. */
    void accepted() {
        if (inAscii && refusedLabels.size() < MOST_LABELS) {
            escaped.stream().filter(Prose::isLabel).forEach(refusedLabels::add);
        }
    }

    /** Whether to send the work again after a failure. */
    boolean isToBeSentAgain(SqlFailure failure) {
        if (failure.isStalePlan()) {
            return --stalePlans > 0;
        }
        boolean again = failure.outcome() == SqlFailure.Outcome.REFUSED
                && !failure.isWithoutConnection()
                && mayBeRefused
                && !inAscii;
        inAscii |= again;
        return again;
    }
}
