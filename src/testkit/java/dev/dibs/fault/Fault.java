package dev.dibs.fault;

import java.time.Duration;
import java.util.Random;

/**
 * A fault that lasts for a while.
 *
 * @param scope its resource: two faults of the same scope never overlap
 * @param atLeast how long it must last to have an effect
 */
record Fault(String name, Scope scope, Duration atLeast, Strike strike) {

    Fault(String name, Scope scope, Strike strike) {
        this(name, scope, Duration.ZERO, strike);
    }

    /** The resource of a fault. */
    enum Scope {
        SERVER,
        PROCESS,
        NETWORK,
        POOL,
        NOTHING
    }

    /** Begins a fault. */
    interface Strike {
        /** Returns what ends it. */
        Heal on(FaultSetup setup, WorkerProcess worker, Duration length, Random random) throws Exception;
    }

    /** Ends a fault. If another fault makes that fail, it is tried again. */
    interface Heal {
        /** For a fault that ends at once, or by itself. */
        Heal NOTHING = () -> {};

        void heal() throws Exception;
    }

    @Override
    public String toString() {
        return name;
    }
}
