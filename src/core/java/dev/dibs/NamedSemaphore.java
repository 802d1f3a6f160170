package dev.dibs;

import java.time.Duration;

/**
 * A semaphore by name: at most so many holders at a time, over all processes that use the same table.
 *
 * <p>Each permit is a {@link Lease} of its own with a {@link Lease#slot slot number} and a {@link Lease#fence fence}, which grows from
 * one holder of the slot to the next. All that a lease of a lock can do, it can do too.
 *
 * <p>The number of permits is the caller's. Where callers differ, as while a new version is rolled out, those with the smaller number
 * get none before the slots above it are given back; so there are never more than the largest number in use, and never more than
 * the smaller one once those above are back.
 *
 * <p>Made by {@link Dibs#semaphore}. Not reentrant: a holder of a permit that asks again gets another one.
 */
public interface NamedSemaphore extends Acquirable {

    /** How many permits there are. */
    int permits();

    @Override
    NamedSemaphore leaseFor(Duration lease);
}
