package dev.dibs.internal.locks;

import dev.dibs.Acquirable;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.LeaseWork;
import dev.dibs.NotAcquiredException;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.Acquiring;
import dev.dibs.internal.acquire.Attempt;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one implementation of {@link Acquirable}: a way to acquire and a lease length. Classes with more methods extend it. */
public class Acquisition implements Acquirable {

    private final Acquirer acquirer;
    private final Acquiring way;
    private final Duration lease;

    Acquisition(Acquirer acquirer, Acquiring way, Duration lease) {
        this.acquirer = acquirer;
        this.way = way;
        this.lease = lease;
    }

    final Acquirer acquirer() {
        return acquirer;
    }

    final Acquiring way() {
        return way;
    }

    /** How long a holder that vanished keeps the lock after its last renewal. */
    final Duration lease() {
        return lease;
    }

    @Override
    public String name() {
        return way.request().name();
    }

    @Override
    public Acquirable leaseLength(Duration length) {
        return new Acquisition(acquirer, way, Term.checkLease(length));
    }

    final Attempt attempt(Duration wait) {
        return way.acquire(lease, Arguments.checkWait(wait));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) {
        return Optional.ofNullable(attempt(wait).lease());
    }

    @Override
    public Lease acquire(Duration wait) {
        return required(way.acquire(lease, Arguments.checkWait(wait)), wait);
    }

    final HeldLease acquireHeld(Duration wait) {
        return required(attempt(wait), wait);
    }

    private HeldLease required(Attempt attempt, Duration wait) {
        HeldLease acquired = attempt.lease();
        if (acquired == null) {
            throw new NotAcquiredException(name(), attempt.holder(), busyMessage(attempt, wait));
        }
        return acquired;
    }

    private String busyMessage(Attempt busy, Duration wait) {
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
                ? "its last holder is done and holds it back for " + heldForMillis + " ms more"
                : "it is changing hands, or locked by a transaction";
    }

    @Override
    public <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X {
        Arguments.required("work", work);
        HeldLease acquired = attempt(Duration.ZERO).lease();
        if (acquired == null) {
            return false;
        }
        runUnder(acquired, work);
        return true;
    }

    @Override
    public <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X {
        Arguments.required("work", work);
        runUnder(acquireHeld(wait), work);
    }

    private static <X extends Exception> void runUnder(HeldLease acquired, LeaseWork<X> work) throws X {
        try (acquired) {
            work.run(acquired);
            acquired.closeOrThrow();
        }
    }
}
