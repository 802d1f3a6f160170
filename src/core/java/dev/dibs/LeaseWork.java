package dev.dibs;

/** Work that is done while a lease is held. Its exception passes to the caller unchanged. */
@FunctionalInterface
public interface LeaseWork<X extends Exception> {

    /** Does the work. Long work should call {@link Lease#check()} now and then. */
    void run(Lease lease) throws X;
}
