package dev.dibs;

/** Makes a value anew. The exception that it may throw passes through to the caller as it is. */
@FunctionalInterface
public interface ValueWork<T, X extends Exception> {

    /** Makes it; not null. */
    T make() throws X;
}
