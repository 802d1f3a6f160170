package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The texts for people in one piece of work, which the database may be unable to store. If it refuses the work, these texts are put in
 * ASCII, and it is sent a second time: the refused one has changed nothing.
 *
 * <p>For one thread at a time.
 */
final class ProseTexts {

    private static final int MOST_LABELS = 100;

    private final Set<Prose> refusedLabels;
    private final List<Prose> escaped = new ArrayList<>();
    private boolean inAscii;
    private boolean mayBeRefused;

    /**
     * For one piece of work.
     *
     * @param refusedLabels labels that are in ASCII from the beginning, since the database has refused them before
     */
    ProseTexts(Set<Prose> refusedLabels) {
        this.refusedLabels = refusedLabels;
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
        boolean again = failure.outcome() == SqlFailure.Outcome.REFUSED
                && !failure.isWithoutConnection()
                && mayBeRefused
                && !inAscii;
        inAscii |= again;
        return again;
    }
}
