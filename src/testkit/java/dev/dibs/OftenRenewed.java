package dev.dibs;

import dev.dibs.internal.time.LocalClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongUnaryOperator;

/**
 * Builds an instance that renews its leases each second, however long they are. So a test need not wait for a third of a lease, and the lease
 * does not end while the machine stands still.
 */
public final class OftenRenewed {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private OftenRenewed() {}

    /** Returns the builder. */
    public static DibsBuilder by(DibsBuilder builder) {
        return builder.clock(clock(third -> Math.min(third, SECOND)));
    }

    /** The same, but only the first renewal comes so soon. The one after it is due after a third of the lease, as usual. */
    public static DibsBuilder once(DibsBuilder builder) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        return builder.clock(clock(third -> isFirst.getAndSet(false) ? SECOND : third));
    }

    private static LocalClock clock(LongUnaryOperator renewal) {
        return new LocalClock() {
            @Override
            public long nanos() {
                return SYSTEM.nanos();
            }

            @Override
            public long wallMillis() {
                return SYSTEM.wallMillis();
            }

            @Override
            public long nanosToRenewal(long leaseMillis) {
                return renewal.applyAsLong(SYSTEM.nanosToRenewal(leaseMillis));
            }
        };
    }
}
