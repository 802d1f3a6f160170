package dev.dibs;

import dev.dibs.internal.time.LocalClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The clocks of this machine after it stood still for a while: a test need not wait for the end of a lease. The database's goes on. */
public final class JumpingClock implements LocalClock {

    /** How many milliseconds the wall clock is ahead. */
    final AtomicLong slept = new AtomicLong();
    /** How many nanoseconds nanoTime is ahead: as many, unless the machine was suspended. */
    final AtomicLong paused = new AtomicLong();

    private final long longestToRenewal;
    private final LocalClock machine;

    public JumpingClock() {
        this(Long.MAX_VALUE, SYSTEM);
    }

    private JumpingClock(long longestToRenewal, LocalClock machine) {
        this.longestToRenewal = longestToRenewal;
        this.machine = machine;
    }

    /** The same, but leases are renewed each second, however long they are. */
    public static JumpingClock renewingOften() {
        return new JumpingClock(TimeUnit.SECONDS.toNanos(1), SYSTEM);
    }

    /** The same, but it stands still between its jumps, however slow the machine is. */
    public static JumpingClock standing() {
        long nanos = SYSTEM.nanos();
        long millis = SYSTEM.wallMillis();
        return new JumpingClock(Long.MAX_VALUE, new LocalClock() {
            @Override
            public long nanos() {
                return nanos;
            }

            @Override
            public long wallMillis() {
                return millis;
            }
        });
    }

    /** The instance that is built has this clock. */
    public DibsBuilder by(DibsBuilder builder) {
        return builder.clock(this);
    }

    public void jump(Duration by) {
        slept.addAndGet(by.toMillis());
        paused.addAndGet(by.toNanos());
    }

    @Override
    public long nanos() {
        return machine.nanos() + paused.get();
    }

    @Override
    public long wallMillis() {
        return machine.wallMillis() + slept.get();
    }

    @Override
    public long nanosToRenewal(long leaseMillis) {
        return Math.min(longestToRenewal, SYSTEM.nanosToRenewal(leaseMillis));
    }
}
