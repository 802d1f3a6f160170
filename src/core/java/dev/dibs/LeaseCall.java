package dev.dibs;

import org.jspecify.annotations.Nullable;

/**
 * Work that is done while a lease is held, and that has a value. Its exception passes to the caller unchanged.
 *
 * @param <L> the kind of lease
 * @param <T> the value
 * @param <X> what it throws
 */
@FunctionalInterface
@SuppressWarnings("exports")
public interface LeaseCall<L extends Lease, T extends @Nullable Object, X extends Exception> {

    /** Does the work. Long work should call {@link Lease#check()} now and then. */
    T call(L lease) throws X;
}
