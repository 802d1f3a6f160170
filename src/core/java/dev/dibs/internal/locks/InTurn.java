package dev.dibs.internal.locks;

import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.LockRequest;

/** Turns the request for a lock into one that waits for its turn. */
public interface InTurn {

    /** The request for a lock, behind those that came before. */
    LeaseRequest of(LockRequest lock);
}
