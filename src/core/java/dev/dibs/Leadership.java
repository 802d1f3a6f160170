package dev.dibs;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * One of many processes leads. It is the lock of that name: who has it leads, {@link Dibs#locks} shows who that is, and {@link
 * Dibs#breakLock} deposes the leader.
 *
 * <p>Made by {@link Dibs#leadership}. Immutable; safe for use by any thread.
 */
public interface Leadership {

    /** The lock's name. */
    String name();

    /**
     * With another lease length: if the leader dies, another one is elected within this time and a second.
     *
     * @param lease as for {@link NamedLock#leaseFor}
     * @throws IllegalArgumentException if it is out of bounds
     */
    Leadership leaseFor(Duration lease);

    /**
     * What to do when elected: called on the thread of the campaign, which has nothing else to do meanwhile. It may return at once and
     * leave the work to others, or do the work as long as the lease {@linkplain Lease#isValid is valid}; it leads until that ends,
     * whether it has returned or not, and is not elected again before it has. If it throws, that is logged, and somebody else
     * is given the chance.
     */
    Leadership onElected(Consumer<? super Lease> callback);

    /**
     * How to stop leading: called once for each time that {@link #onElected} was, when the lease is not valid any more, whatever the reason.
     * If the campaign or its {@link Dibs} is closed, it is called on the closing thread; nobody else is elected before it has
     * returned and {@code onElected}, too, unless they take longer than the lease lasts. If the lease was lost, it is called on a
     * thread of Dibs, when somebody else may lead already. Be short. What it throws is logged.
     */
    Leadership onStepDown(Consumer<? super Lease> callback);

    /**
     * Stands for election from now on, in the background, on a daemon thread of its own, until the campaign is closed, or the {@link
     * Dibs} that this is from. Failures to reach the database are logged and tried again.
     *
     * @throws IllegalStateException if that Dibs is closed
     */
    Campaign campaign();
}
