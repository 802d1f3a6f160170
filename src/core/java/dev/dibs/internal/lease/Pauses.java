package dev.dibs.internal.lease;

import dev.dibs.internal.time.Backoff;
import dev.dibs.internal.time.Patience;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How one who waits in front of a waiting room sleeps between two looks: until it is woken, the holder's time is over or a pause has
 * passed, whichever is soonest. Close it when the wait is over. For one thread.
 */
final class Pauses implements AutoCloseable {

    /** Most waits are over before it would be worth to have the release told. */
    private static final int SLEEPS_BEFORE = 2;

    private final WaitingRooms.Place place;
    private final Wakeups wakeups;
    private final LeaseName name;
    private final boolean canBeTold;
    private final Backoff backoff = new Backoff();
    private int sleeps;
    private boolean wanted;

    Pauses(WaitingRooms.Place place, Wakeups wakeups, LeaseName name, boolean canBeTold) {
        this.place = place;
        this.wakeups = wakeups;
        this.name = name;
        this.canBeTold = canBeTold;
    }

    /** Sleeps after a look that found it busy; returns whether it was woken. */
    boolean sleep(Attempt busy, Patience patience) throws InterruptedException {
        sleeps++;
        if (canBeTold && !wanted && sleeps > SLEEPS_BEFORE) {
            wanted = true;
            wakeups.want(name);
        }
        return place.awaitRelease(Math.min(patience.remainingNanos(), pause(busy)));
    }

    private long pause(Attempt busy) {
        if (busy.isLocked()) {
            // The end of a transaction is told by nobody.
            return backoff.nextNanos();
        }
        long longest = wakeups.pauseNanos();
        long pause = wanted && wakeups.isSure(name)
                ? ThreadLocalRandom.current().nextLong(longest / 2, longest + 1)
                : backoff.nextNanos();
        return Math.min(pause, TimeUnit.MILLISECONDS.toNanos(busy.heldForMillis() + 1));
    }

    @Override
    public void close() {
        if (wanted) {
            wakeups.forget(name);
        }
    }
}
