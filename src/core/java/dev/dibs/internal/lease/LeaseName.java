package dev.dibs.internal.lease;

/** A name of one kind: a lock and a semaphore of the same name have nothing in common. */
public record LeaseName(LeaseKind kind, String name) {

    public LeaseName {
        kind = kind.baseKind();
    }
}
