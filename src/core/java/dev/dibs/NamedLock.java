package dev.dibs;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/**
 * A lock by name: at most one holder at a time, over all processes that use the same table.
 *
 * <p>Made by {@link Dibs#lock}. Not reentrant: it belongs to the {@link Lease}, not to a thread, so a holder that asks again finds it busy like
 * everybody else.
 */
public interface NamedLock extends Acquirable {

    @Override
    NamedLock leaseFor(Duration lease);

    /**
     * The same lock, but first come, first served, over all processes: who waits keeps a place in a line, and who comes later, even if the
     * lock is free at that moment, waits behind. Between two that come within a few milliseconds either may be first. A place whose process has
     * vanished is kept for the lease's length, 10 seconds at most. All who use the name must ask like this: who does not is
     * not kept out. It costs a statement more for each acquire and at least two for each wait, and a lock that is released lies idle until
     * the next in line asks.
     */
    NamedLock fair();

    /**
     * The same lock, but for whoever gets it from here it stays busy for a while at least, counted from its acquisition: if it is
     * released before, or its holder dies, nobody gets it before that time is over. So a short job does not run twice where several
     * machines start it by clocks that differ by seconds. While it is held back so there is no holder to name.
     *
     * @param hold from zero, for a lock that is free when it is released, to one day
     * @throws IllegalArgumentException if it is out of these bounds
     */
    NamedLock holdAtLeast(Duration hold);

    /**
     * The same lock for code that expects a {@link Lock}. There it belongs to a thread, which may lock it again and has to unlock it as
     * often; other threads are as other processes are. Each call returns an object that knows only of what was locked by itself, so
     * keep one and share it.
     *
     * <p>{@code lock} waits for ever, over failures of the connection too. {@code unlock} throws {@link LeaseLostException} if the
     * lease was lost since, so that the work may have had company; the thread has unlocked then all the same. To lock again under a
     * lease that is lost throws it too. {@code unlock} by a thread that has no lock throws {@link IllegalMonitorStateException},
     * {@code newCondition} {@link UnsupportedOperationException}, and all that ask the database {@link DibsException}.
     */
    Lock asLock();
}
