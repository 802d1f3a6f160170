package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.values.OwnerToken;
import java.util.ArrayList;
import java.util.List;

/**
 * Where claims are stored: makes the steps of each operation, which are sent once, alone or with others.
 *
 * @param <T> the type that a row is mapped to
 */
public interface ClaimStore<T> extends RowClaimer<T> {

    /** The token of dead rows. */
    String DEAD = "dibs-dead";

    /** The operations on claimed rows. */
    enum Change {
        RENEW,
        COMPLETE,
        RELEASE,
        /** No claim gets it before some time has passed. */
        POSTPONE,
        /** No claim gets it until it is retried. */
        DEAD_LETTER
    }

    Steps<ClaimedRow<T>> find(String token);

    /** Whether a claim may leave free rows though it gets fewer than it asks for. */
    default boolean leavesRows() {
        return false;
    }

    /** The keys of those of the rows that have the token and have not expired, whether locked or not. */
    Steps<RowKey> stillHeld(String token, List<RowKey> keys);

    /**
     * Changes those of the rows that still have the token; answers their keys.
     *
     * @param delayMillis for POSTPONE
     * @param held all rows of the claim that may still be its own in the database, in order: also those that expired here
     */
    Steps<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held);

    Steps<RowKey> releaseToken(String token);

    /** A row if any row but these is left that is not dead, claimed or not: they are some that the database does not mark. */
    Call<Boolean> left(List<RowKey> but);

    /** Rows that the database does not mark, and tells no error. */
    default RefusedRows refused() {
        return RefusedRows.NONE;
    }

    /** The keys of the dead rows, whichever run gave them up. */
    Steps<RowKey> dead();

    /** The number of rows that are not dead, claimed or not. */
    Call<Long> count();

    @Override
    default List<Call<?>> trial() {
        String nobody = OwnerToken.next();
        List<Steps<?>> all = new ArrayList<>(List.of(claim(nobody, 1, false), claim(nobody, 1, true)));
        if (keepsFront()) {
            all.add(claimFrom(RowKey.of(0L), nobody, 1));
        }
        all.addAll(List.of(find(nobody), stillHeld(nobody, List.of()), releaseToken(nobody), dead()));
        for (Change change : hasLease() ? Change.values() : new Change[] {Change.COMPLETE, Change.RELEASE}) {
            all.add(change(change, nobody, List.of(), 0, List.of()));
        }
        List<Call<?>> calls = new ArrayList<>();
        all.forEach(steps -> calls.addAll(steps.calls()));
        calls.addAll(List.of(left(List.of()), count()));
        return calls;
    }

    /** Whether a completed row leaves the condition of the claims by a change of the row. */
    default boolean changesRows() {
        return true;
    }

    /** Whether a claim ends by time. */
    default boolean hasLease() {
        return true;
    }
}
