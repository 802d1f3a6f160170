package dev.dibs.internal.time;

/** Holds an interrupt of the calling thread back, for the length of a block that must not end early. */
public final class HeldInterrupt implements AutoCloseable {

    private boolean interrupted = Thread.interrupted();

    /** Another one has come. */
    public void add() {
        interrupted = true;
    }

    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
