package dev.dibs.internal.acquire;

import dev.dibs.internal.acquire.Wakeups.Topic;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.retry.Backoff;
import dev.dibs.internal.retry.RetryPolicy;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How the first caller in a waiting room sleeps between two looks: until it is woken, the holder's lease ends, or a pause has passed,
 * whichever is first. Close it when the wait is over. For one thread.
 */
final class Pauses implements AutoCloseable {

    /** Most waits are over before a notification of the release would be worth its cost. */
    private static final int SLEEPS_BEFORE = 2;

    private final WaitingRooms.Place place;
    private final Acquirer acquirer;
    private final LeaseName name;
    private final boolean canBeNotified;
    private final Backoff backoff = new Backoff(RetryPolicy.CALL);
    private int sleeps;

    /** Null until it wants to be woken. */
    private @Nullable Topic topic;

    Pauses(WaitingRooms.Place place, Acquirer acquirer, LeaseName name, boolean canBeNotified) {
        this.place = place;
        this.acquirer = acquirer;
        this.name = name;
        this.canBeNotified = canBeNotified;
    }

    /** Sleeps after a look that found the lock busy, so long at most; returns whether it was woken. */
    boolean sleep(AcquireOutcome busy, long nanos) throws InterruptedException {
        sleeps++;
        if (canBeNotified && topic == null && sleeps > SLEEPS_BEFORE) {
            topic = Topic.of(name);
            acquirer.wakeups.want(topic, isNew -> {
                acquirer.waiting.released(name);
                return true;
            });
        }
        return place.awaitRelease(Math.min(nanos, pause(busy)));
    }

    private long pause(AcquireOutcome busy) {
        if (busy.isLocked()) {
            // No notification comes at the end of a transaction.
            return backoff.nextNanos();
        }
        long longest = acquirer.wakeups.pauseNanos();
        long pause = topic != null && acquirer.wakeups.isSure(topic)
                ? ThreadLocalRandom.current().nextLong(longest / 2, longest + 1)
                : backoff.nextNanos();
        return Math.min(pause, TimeUnit.MILLISECONDS.toNanos(busy.heldForMillis() + 1));
    }

    @Override
    public void close() {
        if (topic != null) {
            acquirer.wakeups.forget(topic);
        }
    }
}
