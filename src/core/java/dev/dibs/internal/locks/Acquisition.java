package dev.dibs.internal.locks;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.LeaseCall;
import dev.dibs.LeaseInfo;
import dev.dibs.NotAcquiredException;
import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one implementation of {@link Acquirable}: a way to acquire and a lease length. Classes with more methods extend it.
 *
 * @param <L> the type of the leases
 */
public class Acquisition<L extends Lease> implements Acquirable<L> {

    final Acquirer acquirer;
    private final Acquiring way;
    /** How long a holder that vanished keeps the lock after its last renewal. */
    final Duration lease;

    private final Class<L> type;

    Acquisition(Acquirer acquirer, Acquiring way, Duration lease, Class<L> type) {
        this.acquirer = acquirer;
        this.way = way;
        this.lease = lease;
        this.type = type;
    }

    final Acquiring way() {
        return way;
    }

    @Override
    public String name() {
        return way.request().name();
    }

    @Override
    public Acquirable<L> leaseLength(Duration length) {
        return new Acquisition<>(acquirer, way, Term.checkLease(length), type);
    }

    /** Null if it is busy after the wait. */
    final @Nullable HeldLease heldWithin(Duration wait) {
        return way.acquire(lease, wait).lease();
    }

    @Override
    public Optional<L> tryAcquire(Duration wait) {
        HeldLease acquired = way.acquire(lease, wait).lease();
        return acquired == null ? Optional.empty() : Optional.of(type.cast(acquired));
    }

    @Override
    public L acquire(Duration wait) {
        return type.cast(acquireHeld(wait));
    }

    final HeldLease acquireHeld(Duration wait) {
        AcquireOutcome attempt = way.acquire(lease, wait);
        HeldLease acquired = attempt.lease();
        if (acquired == null) {
            throw notAcquired(attempt, wait);
        }
        return acquired;
    }

    final NotAcquiredException notAcquired(AcquireOutcome busy, Duration wait) {
        return new NotAcquiredException(name(), busy.holder(), busyMessage(busy, wait));
    }

    private String busyMessage(AcquireOutcome busy, Duration wait) {
        return "'" + name() + "' was not acquired within " + Arguments.text(wait) + ": "
                + holderText(busy.holder(), busy.heldForMillis())
                + acquirer.selfText(way.request().kind(), busy.nameOfHeld(way.request()));
    }

    private static String holderText(@Nullable LeaseInfo holder, long heldForMillis) {
        if (holder != null) {
            return "held by " + holder.holder() + " since " + holder.since() + ", until " + holder.until()
                    + " unless renewed";
        }
        return heldForMillis > 0
                ? "released, but kept busy by holdAtLeast for " + heldForMillis + " ms more"
                : "a transaction has it, or another caller is acquiring it";
    }

    @Override
    public <T, X extends Exception> Optional<T> tryCall(LeaseCall<? super L, T, X> work) throws X {
        Arguments.required("work", work);
        HeldLease acquired = heldWithin(Duration.ZERO);
        return acquired == null
                ? Optional.empty()
                : Optional.of(Objects.requireNonNull(callUnder(acquired, work), "the work returned null"));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T call(Duration wait, LeaseCall<? super L, T, X> work)
            throws X {
        Arguments.required("work", work);
        return callUnder(acquireHeld(wait), work);
    }

    private <T extends @Nullable Object, X extends Exception> T callUnder(
            HeldLease acquired, LeaseCall<? super L, T, X> work) throws X {
        try (acquired) {
            T value = work.call(type.cast(acquired));
            acquired.closeOrThrow();
            return value;
        }
    }
}
