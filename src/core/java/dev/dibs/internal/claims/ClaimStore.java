package dev.dibs.internal.claims;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.Call;
import dev.dibs.internal.sql.SqlFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Where claims are kept: makes the calls for each thing that is done with them. A call is sent once, alone or with others.
 *
 * @param <T> what a row is mapped to
 */
public interface ClaimStore<T> {

    /** What is done with rows that are claimed. */
    enum Change {
        RENEW,
        COMPLETE,
        RELEASE,
        /** Nobody gets it before some time has passed. */
        POSTPONE,
        /** Nobody gets it until somebody digs it up. */
        DEAD_LETTER
    }

    /** Sends calls: in a transaction of their own, or in the caller's. */
    interface Sender {
        void send(List<Call<?>> calls) throws SqlFailure;
    }

    /**
     * Calls, and what they answered once they have been sent.
     *
     * @param calls in the order in which they must go, in one transaction
     * @param later what must go next, in a transaction that begins when the one before is committed; asked again and again
     *     until it is empty
     */
    record Asked<R>(List<Call<?>> calls, Supplier<List<R>> answer, Supplier<List<Call<?>>> later) {

        public Asked(List<Call<?>> calls, Supplier<List<R>> answer) {
            this(calls, answer, List::of);
        }

        /** What fails after the first transaction leaves that one as it is, so that its outcome is not known to the caller. */
        void sendBy(Sender sender) throws SqlFailure {
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

        /** The same, and a call more in the same transaction. */
        public Asked<R> and(Call<?> call) {
            List<Call<?>> more = new ArrayList<>(calls);
            more.add(call);
            return new Asked<>(more, answer, later);
        }

        /** The same, after something else, in one transaction as far as that goes. */
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

    /** Claims up to n free rows; nothing if some have the token already and it is asked again. */
    Asked<ClaimedRow<T>> claim(String token, int n, boolean again);

    /**
     * Claims up to n free rows for who has claimed some just before; what is free and comes before the first one of these may be left
     * out.
     */
    default Asked<ClaimedRow<T>> claimFrom(RowKey front, String token, int n) {
        return claim(token, n, false);
    }

    /** Whether {@link #claimFrom} leaves anything out. */
    default boolean keepsFront() {
        return false;
    }

    /** The rows that have the token. */
    Asked<ClaimedRow<T>> find(String token);

    /** The keys of those of the rows that have the token and have not passed, whether locked or not. */
    Asked<RowKey> still(String token, List<RowKey> keys);

    /**
     * Changes those of the rows that still have the token; answers their keys.
     *
     * @param delayMillis for POSTPONE
     * @param held all rows of the claim that are still ours, in order
     */
    Asked<RowKey> change(Change change, String token, List<RowKey> keys, long delayMillis, List<RowKey> held);

    /** Lets go of all rows that have the token. */
    Asked<RowKey> releaseToken(String token);

    /** A row if anything is left that is not dead, claimed or not. */
    Call<Boolean> left();

    /** How many there are that are not dead, claimed or not. */
    Call<Long> count();

    /** Whether two who claim or change at the same instant may make the same row; else a duplicate is one of the user's. */
    default boolean makesRows() {
        return true;
    }

    /** Whether a claim ends by time. */
    boolean hasLease();
}
