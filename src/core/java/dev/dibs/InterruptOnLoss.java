package dev.dibs;

import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Interrupts the thread of the work when its lease is lost. Everything else is as without it. */
record InterruptOnLoss<L extends Lease>(Acquirable<L> plain) implements Acquirable<L> {

    /** The thread of one piece of work, until it ends. */
    private static final class Worker {

        private final ReentrantLock lock = new ReentrantLock();
        private final Thread thread = Thread.currentThread();
        private boolean hasEnded;
        private @Nullable LeaseLostException interrupted;

        void interrupt(LeaseLostException lost) {
            lock.lock();
            try {
                // An interrupt from outside is not ours to take away at the end; the work gets that one.
                if (!hasEnded && !thread.isInterrupted()) {
                    interrupted = lost;
                    thread.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * After this, no interrupt from Dibs is pending or follows.
         *
         * @param thrown what ended the work, if it did not end by itself
         * @throws LeaseLostException if the work was interrupted; what it threw is only a part of that
         */
        void end(@Nullable Throwable thrown) {
            lock.lock();
            try {
                if (interrupted != null && !hasEnded) {
                    boolean isPending = Thread.interrupted();
                    if (isPending && thrown instanceof InterruptedException) {
                        // Ours came after the one that the work has answered, and nobody has seen it.
                        interrupted = null;
                    }
                }
                hasEnded = true;
            } finally {
                lock.unlock();
            }
            if (interrupted != null && !(thrown instanceof Error) && !(thrown instanceof LeaseLostException)) {
                if (thrown != null) {
                    interrupted.addSuppressed(thrown);
                }
                throw interrupted;
            }
        }
    }

    private static <L extends Lease, T extends @Nullable Object, X extends Exception> T interruptible(
            L lease, LeaseCall<? super L, T, X> work) throws X {
        Worker worker = new Worker();
        lease.onLost(worker::interrupt);
        try {
            T value = work.call(lease);
            worker.end(null);
            return value;
        } catch (Throwable e) {
            worker.end(e);
            throw e;
        }
    }

    @Override
    public String name() {
        return plain.name();
    }

    @Override
    public Acquirable<L> leaseLength(Duration lease) {
        return new InterruptOnLoss<>(plain.leaseLength(lease));
    }

    @Override
    public Acquirable<L> interruptOnLoss() {
        return this;
    }

    @Override
    public Optional<L> tryAcquire(Duration wait) {
        return plain.tryAcquire(wait);
    }

    @Override
    public L acquire(Duration wait) {
        return plain.acquire(wait);
    }

    @Override
    public <T, X extends Exception> Optional<T> tryCall(LeaseCall<? super L, T, X> work) throws X {
        Arguments.required("work", work);
        return plain.<T, X>tryCall(lease -> interruptible(lease, work));
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T call(Duration wait, LeaseCall<? super L, T, X> work)
            throws X {
        Arguments.required("work", work);
        return plain.<T, X>call(wait, lease -> interruptible(lease, work));
    }

    @Override
    public String toString() {
        return plain + ", interrupts on loss";
    }
}
