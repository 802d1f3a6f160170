package dev.dibs;

import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;

/**
 * A semaphore by name: at most a given number of holders at a time, over all processes that use the same table.
 *
 * <p>Each {@link Permit} is a lease of its own. It has a {@linkplain Permit#slot slot number} and a {@linkplain Lease#fencingToken
 * fencing token}, which grows from one holder of the slot to the next. It can do all that the lease of a lock can do.
 *
 * <p>Each caller names the number of permits. Callers may differ while a new version is rolled out. Then a caller with the smaller
 * number gets no permit before all slots above that number are released. So there are never more holders than the largest number in
 * use. Once the slots above the smaller number are free, there are never more than that.
 *
 * <p>Made by {@link Dibs#semaphore}. Not reentrant: a holder of a permit that asks again gets another one.
 */
public interface NamedSemaphore extends Acquirable<Permit> {

    /** How many permits there are. */
    int permits();

    @Override
    @CheckReturnValue
    NamedSemaphore leaseLength(Duration lease);
}
