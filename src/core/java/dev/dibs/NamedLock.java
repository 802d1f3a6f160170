package dev.dibs;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

/**
 * A lock by name: at most one holder at a time, over all processes that use the same table.
 *
 * <p>Made by {@link Dibs#lock}. Not reentrant: it belongs to the {@link Lease}, not to a thread. A holder that asks again finds it busy,
 * like everybody else.
 */
public interface NamedLock extends Acquirable {

    @Override
    NamedLock lease(Duration lease);

    /**
     * The same lock, first come, first served, over all processes. A waiter keeps its place in a queue. A caller that comes later waits
     * behind it, even if the lock is free at that moment. Of two callers that come within a few milliseconds either may be first.
     *
     * <p>The place of a process that has vanished is kept for the length of a lease, 10 seconds at most. Only callers that ask like this
     * keep the order: another caller of the same name may overtake them. Each acquire costs one more statement, each wait at least two
     * more, and a released lock stays idle until the next waiter asks.
     */
    NamedLock fair();

    /**
     * The same lock, which stays busy for some time at least, counted from its acquisition. If it is released earlier, or its holder
     * dies, nobody gets it before that time is over. So a short job does not run twice where several machines start it by clocks that
     * differ by seconds. After an early release the lock is busy without a holder.
     *
     * @param hold from zero, for a lock that is free when it is released, to one day
     * @throws IllegalArgumentException if it is out of these bounds
     */
    NamedLock holdAtLeast(Duration hold);

    /**
     * The same lock for code that expects a {@link Lock}. It belongs to a thread, which may lock it again and has to unlock it as often.
     * Other threads are kept out like other processes. Each call returns an object of its own, which knows only the threads that locked
     * it: keep one object and share it.
     *
     * <p>{@code lock} waits without a limit, also while the connection fails. {@code unlock} throws {@link LeaseLostException} if the
     * lease was lost meanwhile, so that somebody else may have worked at the same time; the thread has unlocked even then. {@code lock}
     * under a lost lease throws it, too. {@code unlock} by a thread without the lock throws {@link IllegalMonitorStateException}, {@code
     * newCondition} throws {@link UnsupportedOperationException}, and a failure of the database is a {@link DibsException}.
     */
    Lock asLock();
}
