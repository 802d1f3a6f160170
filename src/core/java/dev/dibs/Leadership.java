package dev.dibs;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * One of many processes leads. The leader is the holder of the lock of that name: {@link Admin#locks} shows who that is, and {@link
 * Admin#breakLock} ends its leadership.
 *
 * <p>Made by {@link Dibs#leadership}. Immutable; safe for use by any thread.
 */
public interface Leadership {

    /** The lock's name. */
    String name();

    /**
     * With another lease length: if the leader dies, another one is elected within this time and a second.
     *
     * @param lease as for {@link NamedLock#lease}
     * @throws IllegalArgumentException if it is out of bounds
     */
    Leadership lease(Duration lease);

    /**
     * What to do when elected. It is called on the campaign's thread, which has nothing else to do. It may return at once, or work as long
     * as the lease {@linkplain Lease#isValid is valid}. The process leads until the lease ends, whether the callback has returned or
     * not, and is not elected again before it has returned. If it throws, that is logged, and other processes get the chance.
     */
    Leadership onElected(Consumer<? super Lease> callback);

    /**
     * How to stop leading. It is called once for each call of {@link #onElected}, when the lease is no longer valid, for any reason.
     *
     * <p>If the campaign or its {@link Dibs} is closed, the closing thread calls it. Then nobody else is elected before both callbacks
     * have returned, unless they take longer than the lease lasts. If the lease was lost, a thread of Dibs calls it, and somebody else
     * may lead already. Be short. What it throws is logged.
     */
    Leadership onStepDown(Consumer<? super Lease> callback);

    /**
     * Stands for election from now on, on a daemon thread of its own, until the campaign or the {@link Dibs} that this is from is closed.
     * Failures to reach the database are logged, and it tries again.
     *
     * @throws IllegalStateException if that Dibs is closed
     */
    Campaign campaign();
}
