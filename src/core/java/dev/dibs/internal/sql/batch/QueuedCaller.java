package dev.dibs.internal.sql.batch;

import dev.dibs.internal.sql.batch.Batcher.OneOrMany;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A caller of a {@link Batcher} that cannot send at once. Its answer or its failure is set before it is woken.
 *
 * @param <Q> its question
 * @param <A> the answer
 */
final class QueuedCaller<Q, A> {

    private enum State {
        WAITS,
        LEADS,
        ANSWERED
    }

    final OneOrMany<Q, A> statement;
    final Q question;
    /** In nanoseconds. */
    final long patience;
    /** As monotonic time. */
    final long since = System.nanoTime();
    /** Whether the last leader of its batch got no connection, although it was not interrupted. */
    boolean hadNoConnection;

    /** One of the two is set before it is woken. */
    @Nullable
    A answer;

    @Nullable
    Throwable failure;

    private final Thread thread = Thread.currentThread();
    private volatile State state = State.WAITS;

    QueuedCaller(OneOrMany<Q, A> statement, Q question, long patience) {
        this.statement = statement;
        this.question = question;
        this.patience = patience;
    }

    Object key() {
        return statement.key(question);
    }

    /** Equal statements have questions of the same type. */
    @SuppressWarnings("unchecked")
    QueuedCaller<Q, A> alike(QueuedCaller<?, ?> other) {
        return (QueuedCaller<Q, A>) other;
    }

    /**
     * Waits until the caller is woken, or has been queued for that long. Returns whether the thread was interrupted.
     *
     * @param most in nanoseconds
     */
    boolean await(long most) {
        boolean interrupted = false;
        for (long left = most; waits() && left > 0; left = most - queuedFor()) {
            LockSupport.parkNanos(this, left);
            interrupted |= Thread.interrupted();
        }
        // It may have been woken before it saw the interrupt.
        interrupted |= Thread.interrupted();
        return interrupted;
    }

    /** The time in the queue, in nanoseconds. */
    long queuedFor() {
        return System.nanoTime() - since;
    }

    boolean hasTime() {
        return queuedFor() < patience;
    }

    boolean waits() {
        return state == State.WAITS;
    }

    boolean leads() {
        return state == State.LEADS;
    }

    boolean isAnswered() {
        return state == State.ANSWERED;
    }

    /** Before {@link #unpark}. */
    void makeLeader() {
        state = State.LEADS;
    }

    /** It has its answer or its failure. */
    void wake() {
        state = State.ANSWERED;
        unpark();
    }

    void unpark() {
        // A permit would end the next pause of this thread.
        if (!thread.equals(Thread.currentThread())) {
            LockSupport.unpark(thread);
        }
    }

    A answer() throws SqlFailure {
        if (answer != null) {
            return answer;
        }
        throw failure instanceof SqlFailure known ? known : SqlFailure.ofAnother(failure);
    }
}
