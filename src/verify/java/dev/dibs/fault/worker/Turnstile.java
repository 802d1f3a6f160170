package dev.dibs.fault.worker;

/** Lets the threads of a worker go on, or keeps them waiting, or sends them home. */
final class Turnstile {
    private final int all;
    private int waiting;
    private boolean resting;
    private boolean closed;

    Turnstile() {
        this(FaultWorkerMain.THREADS);
    }

    private Turnstile(int all) {
        this.all = all;
    }

    /** Waits while there is to be rest. False: it is time to go home. */
    synchronized boolean pass() throws InterruptedException {
        waiting++;
        notifyAll();
        while (resting && !closed) {
            wait();
        }
        waiting--;
        return !closed;
    }

    /** Returns when everybody rests. */
    synchronized void rest() throws InterruptedException {
        resting = true;
        while (waiting < all) {
            wait();
        }
    }

    synchronized void goOn() {
        resting = false;
        notifyAll();
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
