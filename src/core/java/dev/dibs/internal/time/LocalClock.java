package dev.dibs.internal.time;

import java.util.concurrent.TimeUnit;

/**
 * The two clocks of this machine. They never decide which process holds a lock. They tell a holder how long it may rely on its
 * lease.
 */
public interface LocalClock {

    LocalClock SYSTEM = new LocalClock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis();
        }
    };

    /** Monotonic nanoseconds; may stand still while the machine is suspended. */
    long nanos();

    /** Milliseconds since 1970; may jump, but goes on while the machine is suspended. */
    long wallMillis();

    /** How long after a lease was renewed it is renewed again. Tests have clocks by which that is sooner. */
    default long nanosToRenewal(long leaseMillis) {
        return TimeUnit.MILLISECONDS.toNanos(leaseMillis) / 3;
    }
}
