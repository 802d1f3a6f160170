package dev.dibs.internal.time;

/** The two clocks of this machine. Neither decides who holds a lock; they tell a holder how long it may believe so. */
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
}
