package dev.dibs;

import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;

/**
 * A lock by name: at most one holder at a time, over all processes that use the same table.
 *
 * <p>Made by {@link Dibs#lock}. Not reentrant: it belongs to the {@link Lease}, not to a thread. A holder that asks again finds it
 * busy, as any other caller does.
 */
public interface NamedLock extends Acquirable<Lease> {

    @Override
    @CheckReturnValue
    NamedLock leaseLength(Duration lease);

    /**
     * The same lock, first come, first served, over all processes. A waiter keeps its place in a queue. A caller that comes later
     * waits behind it, even if the lock is free at that moment. Of two callers that come within a few milliseconds either may be
     * first.
     *
     * <p>The place of a process that has vanished is kept for the length of a lease, 10 seconds at most. Only callers of the fair
     * lock keep the order: a caller of the plain lock may overtake them. Each acquire costs one more statement, each wait at least
     * two more. A released lock stays idle until the next waiter asks.
     */
    @CheckReturnValue
    NamedLock fair();

    /**
     * The same lock, which stays busy for a minimum time, counted from its acquisition. If it is released earlier, or its holder
     * dies, nobody gets it before that time has passed. So a short job does not run twice if several machines start it by clocks
     * that differ by seconds. After an early release the lock is busy without a holder.
     *
     * @param hold from zero, for a lock that is free when it is released, to one day
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    NamedLock holdAtLeast(Duration hold);

    /**
     * The same lock with leases that Dibs does not renew. Such a lease ends after that time, also while its process lives, unless the
     * holder {@linkplain TimedLease#extend extends} it. It is for work that must not keep a lock for longer, and for code that renews
     * leases itself. Everything else is as with other leases. Call {@link #fair} and {@link #holdAtLeast} before.
     *
     * @param lease from 50 milliseconds to one day. The holder relies on 20 milliseconds less, or 1 percent
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    Acquirable<TimedLease> atMost(Duration lease);

    /**
     * The same lock for code that expects a {@link java.util.concurrent.locks.Lock}. It belongs to a thread. That thread may lock it again, and must unlock it
     * as often. Other threads are kept out as other processes are. Each call returns a new object, which knows only the threads
     * that locked it. So keep one object and share it.
     *
     * <p>{@code lock} waits without a limit, also while the connection fails. {@code unlock} throws {@link LeaseLostException} if
     * the lease was lost, so that another holder may have worked at the same time; even then the thread has unlocked.
     * {@code lock} under a lost lease throws it, too. {@code unlock} by a thread without the lock throws {@link
     * IllegalMonitorStateException}. {@code newCondition} throws {@link UnsupportedOperationException}. A failure of the database
     * is a {@link DatabaseFailureException}.
     */
    ThreadLock asLock();
}
