package dev.dibs;

/** A name of one kind: a lock and something else of the same name have nothing in common. */
record LeaseName(LeaseKind kind, String name) {

    LeaseName {
        kind = kind.plain();
    }
}
