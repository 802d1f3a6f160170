package dev.dibs;

/** Work that is done while a lease is held. The exception that it may throw passes through to the caller as it is. */
@FunctionalInterface
public interface LeaseWork<X extends Exception> {

    /** Does the work; long work calls {@link Lease#check()} now and then. */
    void run(Lease lease) throws X;
}
