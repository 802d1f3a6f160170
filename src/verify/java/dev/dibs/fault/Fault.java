package dev.dibs.fault;

import java.time.Duration;
import java.util.Random;

/**
 * Something that goes wrong for a while.
 *
 * @param scope what it takes: two faults that take the same are not at work at once
 * @param atLeast how long it must last to be one
 */
record Fault(String name, Scope scope, Duration atLeast, Strike strike) {

    Fault(String name, Scope scope, Strike strike) {
        this(name, scope, Duration.ZERO, strike);
    }

    /** What a fault takes. */
    enum Scope {
        SERVER,
        PROCESS,
        NETWORK,
        POOL,
        NOTHING
    }

    /** Lets it begin. */
    interface Strike {
        /** Returns what ends it. */
        Heal on(Site site, WorkerProcess worker, Duration length, Random random) throws Exception;
    }

    /** Ends it. What fails because something else is wrong is tried again. */
    interface Heal {
        /** For what is over at once, or by itself. */
        Heal NOTHING = () -> {};

        void heal() throws Exception;
    }

    @Override
    public String toString() {
        return name;
    }
}
