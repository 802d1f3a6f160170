package dev.dibs;

import dev.dibs.OnceMemory.Known;
import dev.dibs.core.Backoff;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One call for a value that all processes share. For one thread. */
final class SharedValue<T, X extends Exception> {

    private final Once once;
    private final ValueStore<T> store;
    private final ValueWork<T, X> work;
    private @Nullable T made;

    SharedValue(Once once, ValueStore<T> store, ValueWork<T, X> work) {
        this.once = once;
        this.store = store;
        this.work = work;
    }

    T getOrRefresh() throws X {
        Optional<T> old = store.get(once.name());
        if (old.isEmpty()) {
            return first();
        }
        once.attempt(this::make);
        return made == null ? old.get() : made;
    }

    /** Put before the work is recorded: who is told that it is done finds it. */
    private void make(Lease lease) throws X {
        T value = Objects.requireNonNull(work.make(), "the value that was made is null");
        lease.check();
        store.put(once.name(), value);
        made = value;
    }

    /** There is none: makes it, or waits for the one who does. */
    private T first() throws X {
        Backoff backoff = new Backoff();
        while (true) {
            Known known = once.attempt(this::make);
            if (known.outcome() == OnceOutcome.FRESH) {
                known = lost(known);
            }
            Optional<T> value = made == null ? store.get(once.name()) : Optional.of(made);
            if (value.isPresent()) {
                return value.get();
            }
            if (known.outcome() == OnceOutcome.FAILED) {
                throw once.noValue();
            }
            pause(backoff);
        }
    }

    /** Done, and yet not there, unless it came just now: the store has lost it. */
    private Known lost(Known known) throws X {
        boolean there = store.get(once.name()).isPresent();
        return there ? known : once.always().attempt(this::makeIfLost);
    }

    /** Between the look and the lease somebody else may have made it. */
    private void makeIfLost(Lease lease) throws X {
        Optional<T> value = store.get(once.name());
        if (value.isEmpty()) {
            make(lease);
        } else {
            made = value.get();
        }
    }

    private void pause(Backoff backoff) {
        try {
            TimeUnit.NANOSECONDS.sleep(backoff.nextNanos());
        } catch (InterruptedException e) {
            throw once.interrupted();
        }
    }
}
