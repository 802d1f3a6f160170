package dev.dibs.internal.lease;

/** The waiting callers of this JVM, as the holders see them. Safe for use by any thread. */
public interface Waiters {

    /** The lock was released in this JVM, or another process has notified of its release; or it is worth a look for another reason. */
    void released(LeaseName name);

    /** Lets all waiters go on at once, for good: each of them checks whether its Dibs is closed. */
    void close();
}
