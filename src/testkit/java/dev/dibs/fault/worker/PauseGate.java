package dev.dibs.fault.worker;

/** Lets the threads of a worker go on, pauses them, or ends them. */
final class PauseGate {
    private final int all;
    private int waiting;
    private boolean resting;
    private boolean closed;

    PauseGate() {
        this(FaultWorkerMain.THREADS);
    }

    private PauseGate(int all) {
        this.all = all;
    }

    /** Waits while the threads are paused. False: the thread must end. */
    synchronized boolean pass() throws InterruptedException {
        waiting++;
        notifyAll();
        while (resting && !closed) {
            wait();
        }
        waiting--;
        return !closed;
    }

    /** Returns when all threads are paused. */
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
