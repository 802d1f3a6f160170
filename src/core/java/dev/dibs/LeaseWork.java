package dev.dibs;

/**
 * Work that is done while a lease is held. Its exception passes to the caller unchanged.
 *
 * @param <L> the kind of lease
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LeaseWork<L extends Lease, X extends Exception> {

    /** Does the work. Long work should call {@link Lease#check()} now and then. */
    void run(L lease) throws X;
}
