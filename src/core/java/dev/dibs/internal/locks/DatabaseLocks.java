package dev.dibs.internal.locks;

import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.NamedLocks;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.acquire.LocksRequest;
import dev.dibs.internal.acquire.PlainAcquire;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.Strings;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Several locks at once, and the ways to acquire them. */
public record DatabaseLocks(Acquirer acquirer, List<String> names, Duration lease) implements NamedLocks {

    static final int MOST_NAMES = 100;

    public static DatabaseLocks of(Acquirer acquirer, Collection<String> names, Duration lease) {
        List<String> sorted = Arguments.required("collection of names", names).stream()
                .map(name -> Names.check("name", name))
                .distinct()
                .sorted()
                .toList();
        if (sorted.isEmpty() || sorted.size() > MOST_NAMES) {
            throw new IllegalArgumentException("there are " + sorted.size() + " names; it must be 1 to " + MOST_NAMES);
        }
        return new DatabaseLocks(acquirer, sorted, lease);
    }

    @Override
    public NamedLocks leaseLength(Duration lease) {
        return new DatabaseLocks(acquirer, names, Term.checkLease(lease));
    }

    @Override
    public Optional<Leases> tryAcquire(Duration wait) {
        LocksRequest request = new LocksRequest(names);
        return Optional.ofNullable(acquisition(request).heldWithin(wait)).map(first -> leases(request, first));
    }

    @Override
    public Leases acquire(Duration wait) {
        LocksRequest request = new LocksRequest(names);
        return leases(request, acquisition(request).acquireHeld(wait));
    }

    private Acquisition<Lease> acquisition(LocksRequest request) {
        return new Acquisition<>(acquirer, new PlainAcquire(acquirer, request), lease, Lease.class);
    }

    private Leases leases(LocksRequest request, HeldLease first) {
        return new Leases(request.all(acquirer, first));
    }

    @Override
    public String toString() {
        return "NamedLocks" + names.stream().map(Strings::escape).toList();
    }
}
