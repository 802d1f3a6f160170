package dev.dibs;

/** A permit of a semaphore: a lease with a slot. */
public interface Permit extends Lease {

    /**
     * The number of the permit, from 0 to one below the number of permits. No other holder has the same slot at the same time. Use it to
     * share out work. The {@linkplain #fencingToken fencing token} grows from one holder of a slot to the next.
     */
    int slot();
}
