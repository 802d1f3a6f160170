package dev.dibs;

import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Leadership of one process among many. The leader holds the lock of this name: {@link Admin#locks} shows the leader, and {@link
 * Admin#breakLock} ends its leadership.
 *
 * <p>Made by {@link Dibs#leadership}. Immutable; safe for use by any thread.
 */
public interface Leadership {

    /** The lock's name. */
    String name();

    /**
     * The same, with another lease length. If the leader dies, another candidate is elected within this time and a second.
     *
     * @param lease as for {@link NamedLock#leaseLength}
     * @throws IllegalArgumentException if it is outside its bounds
     */
    @CheckReturnValue
    Leadership leaseLength(Duration lease);

    /**
     * Sets the callback of an election. The callback runs on the candidacy's thread, which has nothing else to do. It may return at
     * once, or work as long as the lease {@linkplain Lease#isValid is valid}. The process leads until the lease ends, whether the
     * callback has returned or not. It is not elected again before the callback has returned. If the callback throws, that is
     * logged, and other processes get their chance.
     */
    @CheckReturnValue
    Leadership onElected(Consumer<? super Lease> callback);

    /**
     * Sets how to stop leading. The callback runs once for each call of {@link #onElected}, when the lease is no longer valid, for
     * any reason.
     *
     * <p>If the candidacy or its {@link Dibs} is closed, the closing thread calls it. Then no other candidate is elected before both
     * callbacks have returned, unless they take longer than the lease lasts. If the lease was lost, a thread of Dibs calls it, and
     * another process may lead already. Be short. Its exceptions are logged.
     */
    @CheckReturnValue
    Leadership onStepDown(Consumer<? super Lease> callback);

    /**
     * Stands for election from now on, on a daemon thread of its own. That ends when the candidacy or its {@link Dibs} is closed. A
     * failure to reach the database is logged, and Dibs tries again.
     *
     * @throws IllegalStateException if the {@link Dibs} is closed
     */
    Candidacy campaign();
}
