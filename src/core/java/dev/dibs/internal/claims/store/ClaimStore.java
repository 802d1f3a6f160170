package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Where claims are stored: makes the calls for each operation. A call is sent once, alone or with others.
 *
 * @param <T> what a row is mapped to
 */
public interface ClaimStore<T> {

    /** The operations on claimed rows. */
    enum Change {
        RENEW,
        COMPLETE,
        RELEASE,
        /** No claim gets it before some time has passed. */
        POSTPONE,
        /** No claim gets it until it is redriven. */
        DEAD_LETTER
    }

    /** Sends calls: in a transaction of their own, or in the caller's. */
    interface Sender {
        void send(List<Call<?>> calls) throws SqlFailure;
    }

    /**
     * Calls, and their result once they have been sent.
     *
     * @param calls in the order in which they must be sent, in one transaction
     * @param later the calls that must follow, in a transaction that begins when the one before is committed; asked for again and again
     *     until there are none
     */
    record Asked<R>(List<Call<?>> calls, Supplier<List<R>> answer, Supplier<List<Call<?>>> later) {

        public Asked(List<Call<?>> calls, Supplier<List<R>> answer) {
            this(calls, answer, List::of);
        }

        /** If a later transaction fails, the first one stays committed. So the caller does not know the outcome. */
        public void sendBy(Sender sender) throws SqlFailure {
            sender.send(calls);
            List<Call<?>> next = later.get();
            while (!next.isEmpty()) {
                try {
                    sender.send(next);
                } catch (SqlFailure e) {
                    throw e.halfWay();
                }
                next = later.get();
            }
        }

        /** The same, with one more call in the same transaction. */
        public Asked<R> and(Call<?> call) {
            List<Call<?>> more = new ArrayList<>(calls);
            more.add(call);
            return new Asked<>(more, answer, later);
        }

        /** The same after another one, in one transaction as far as that goes. */
        public Asked<R> after(Asked<?> first) {
            List<Call<?>> both = new ArrayList<>(first.calls());
            both.addAll(calls);
            return new Asked<>(both, answer, () -> {
                List<Call<?>> next = first.later().get();
                return next.isEmpty() ? later.get() : next;
            });
        }

        public List<R> rows() {
            return answer.get();
        }
    }

    /** Claims up to n free rows; none if the token has some already and {@code again} is true. */
    Asked<ClaimedRow<T>> claim(String token, int n, boolean again);

    /**
     * Claims up to n free rows for a worker that has just claimed some. Free rows before {@code front}, the first one of these, may be left
     * out.
     */
    default Asked<ClaimedRow<T>> claimFrom(RowKey front, String token, int n) {
        return claim(token, n, false);
    }

    /** Whether {@link #claimFrom} leaves rows out. */
    default boolean keepsFront() {
        return false;
    }

    /** The rows that have the token. */
    Asked<ClaimedRow<T>> find(String token);

    /** The keys of those of the rows that have the token and have not expired, whether locked or not. */
    Asked<RowKey> still(String token, List<RowKey> keys);

    /**
     * Changes those of the rows that still have the token; answers their keys.
     *
     * @param delayMillis for POSTPONE
     * @param held all rows of the claim that may still be its own in the database, in order: also those that expired here
     */
    Asked<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held);

    /** Releases all rows that have the token. */
    Asked<RowKey> releaseToken(String token);

    /** A row if any row is left that is not dead, claimed or not. */
    Call<Boolean> left();

    /** The number of rows that are not dead, claimed or not. */
    Call<Long> count();

    /** A call of each statement that has names or SQL of the user's, with a token that no row has. */
    List<Call<?>> trial();

    /** Whether two callers may add the same row at the same instant; if not, a duplicate key is an error of the user's table. */
    default boolean makesRows() {
        return true;
    }

    /** Whether a claim ends by time. */
    boolean hasLease();
}
