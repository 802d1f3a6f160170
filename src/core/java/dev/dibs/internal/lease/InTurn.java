package dev.dibs.internal.lease;

/** How a lock is asked for as one that waits for its turn. */
public interface InTurn {

    /** The request for a lock, behind those who came before. */
    LeaseRequest of(LockRequest lock);
}
