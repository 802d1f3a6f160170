package dev.dibs.internal.lease;

import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseLostException;
import dev.dibs.TransactionCall;
import dev.dibs.internal.guarded.GuardedTransaction;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.LeaseState;
import dev.dibs.internal.time.Renewals;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A lease that this instance holds: renewed, if its kind is, until it is closed or lost. Safe for use by any thread. */
public class HeldLease implements Lease, Renewals.Expiring {

    final LeaseKeeping keeper;
    final Grant grant;

    private final AtomicReference<LeaseState> state;
    private final LeaseThread thread = LeaseThread.current();

    private final LossCallbacks losses = new LossCallbacks();
    private final CompletableFuture<Released> released = new CompletableFuture<>();
    private volatile @Nullable Term doubted;

    /** Whether a transaction may have the row locked, even after the lease: a guard was asked for, or the row was found locked. */
    private volatile boolean mayBeGuarded;

    /** Whether a renewal is running. */
    volatile boolean isBeingRenewed;

    /** Acquired, but not yet returned to a caller. */
    volatile boolean isIntent;

    /** What the last renewal has met; null if it has got through. */
    volatile @Nullable SqlFailure failedRenewal;

    /** When the heartbeat should renew it, as monotonic time. It is only a hint for the heartbeat: the state decides. */
    volatile long renewAt;

    HeldLease(LeaseKeeping keeper, Grant grant) {
        this.keeper = keeper;
        this.grant = grant;
        this.isIntent = grant.kind().isIntent();
        this.state = new AtomicReference<>(grant.term());
    }

    @Override
    public String name() {
        return grant.row().name();
    }

    @Override
    public long fencingToken() {
        return grant.row().fence();
    }

    @Override
    public Optional<Takeover> takeover() {
        return Optional.ofNullable(grant.takeover());
    }

    @Override
    public boolean isValid() {
        Term term = term();
        return term != null && !inDoubt(term);
    }

    @Override
    public Duration remaining() {
        return isValid() ? Duration.ofNanos(Math.max(0, expire())) : Duration.ZERO;
    }

    @Override
    public void check() {
        Term term = term();
        if (term != null && inDoubt(term)) {
            keeper.confirm(this);
            term = term();
        }
        if (term == null) {
            throw endException();
        }
    }

    @Override
    public void onLost(Consumer<? super LeaseLostException> callback) {
        Arguments.required("callback", callback);
        LeaseLostException already = losses.add(callback);
        if (already != null) {
            keeper.callBack(callback, already);
        }
    }

    @Override
    public void guard(Connection connection) {
        // Set before the term is read: a release on another thread ends the term first, and then reads this.
        mayBeGuarded = true;
        if (term() == null) {
            throw endException();
        }
        keeper.guard(this, connection);
    }

    @Override
    public <T extends @Nullable Object, X extends Exception> T callInTransaction(
            DataSource dataSource, TransactionCall<T, X> work) throws X {
        Arguments.required("data source", dataSource);
        Arguments.required("work", work);
        try (GuardedTransaction transaction = keeper.transactions().begin(this, name(), dataSource)) {
            guard(transaction.connection());
            return transaction.call(work);
        }
    }

    @Override
    public void close() {
        if (end(LeaseState.End.RELEASED)) {
            keeper.release(this);
        } else if (isClosed()) {
            // Another call releases it just now: when this one returns, that is done.
            Released unused = released.join();
        }
    }

    @Override
    public boolean release() {
        close();
        Released answer = isClosed() ? released.join() : Released.of(Released.Answer.NOT_OURS);
        if (answer.answer() == Released.Answer.UNKNOWN) {
            throw answer.unknown(name());
        }
        return answer.answer() != Released.Answer.NOT_OURS;
    }

    /** The first answer to a release is the one that every caller gets. */
    void answered(Released answer) {
        boolean unused = released.complete(answer);
    }

    /** Closes it, and throws if it was lost, or turns out to belong to another owner. */
    public void closeOrThrow() {
        try (this) {
            if (!isClosed()) {
                check();
            }
        }
        LeaseLostException lost = losses.loss();
        if (lost != null) {
            throw lost;
        }
    }

    /** Our lease was valid here, but its release has found that it is not ours. */
    LeaseLostException wasLost() {
        LeaseLostException lost = new LeaseLostException(
                name(),
                fencingToken(),
                "its release found that it was not ours any more; it was broken or taken over before");
        losses.foundAtRelease(lost);
        return lost;
    }

    /** No row of ours was seen in the caller's transaction. */
    LeaseLostException notInTransaction() {
        return new LeaseLostException(
                name(),
                fencingToken(),
                "in this transaction it is not ours: it was taken over or broken, or it has expired; or guard was not the"
                        + " transaction's first statement and the transaction sees a time before the lease; or the"
                        + " connection is to another database. Roll back");
    }

    /** Ends it only here: others get the lock after {@link #releaseEnded}, or after the lease's end. Returns false if it was over. */
    public boolean endHere() {
        boolean ended = end(LeaseState.End.RELEASED);
        if (ended) {
            answered(Released.of(Released.Answer.LATER));
            keeper.forget(this);
        }
        return ended;
    }

    /** Releases the lock of a lease that has ended here. */
    public void releaseEnded() {
        keeper.release(this);
    }

    /**
     * Ends it here, for a caller that ends it in the database by a statement of its own and then calls {@link #closedThere}. Returns false
     * if it was over.
     */
    public boolean closeHere() {
        boolean ended = end(LeaseState.End.RELEASED);
        if (ended) {
            answered(Released.of(Released.Answer.LATER));
            keeper.closedHere(this);
        }
        return ended;
    }

    /** That statement was answered, or {@link #releaseLater} was called. */
    public void closedThere() {
        keeper.closedThere();
    }

    /** That statement failed: the row is released as soon as possible. */
    public void releaseLater() {
        keeper.releaseLater(this);
    }

    @Override
    public String toString() {
        return "Lease[" + Strings.escape(name()) + ", fencing token " + fencingToken() + ", "
                + state.get().text() + "]";
    }

    public LeaseKind kind() {
        return grant.kind();
    }

    /** Whether a transaction may have its row locked, even after the lease. */
    public boolean mayBeGuarded() {
        return mayBeGuarded;
    }

    /** Whether no guard and no renewal is known that may have its row locked now. */
    public boolean isUnlocked() {
        return !mayBeGuarded && !isBeingRenewed;
    }

    /** Its row was found locked, perhaps by a guard that this instance does not know. */
    public void foundLocked() {
        mayBeGuarded = true;
    }

    public LeaseThread thread() {
        return thread;
    }

    public String owner() {
        return grant.owner();
    }

    public LeaseKeys.Key key() {
        return new LeaseKeys.Key(name(), owner());
    }

    public long length() {
        return grant.term().lease();
    }

    long hold() {
        return grant.hold();
    }

    /** How long it is held already, or was until this moment. */
    Duration held() {
        return Duration.ofNanos(grant.term().ageNanos());
    }

    public boolean isClosed() {
        return state.get() == LeaseState.End.RELEASED;
    }

    public boolean isOver() {
        return term() == null;
    }

    /** The running term, or null if the lease is over. The first caller that sees the term expired makes that final. */
    public @Nullable Term term() {
        while (state.get() instanceof Term term) {
            if (!term.isOver()) {
                return term;
            }
            lose(term, expiryReason());
        }
        return null;
    }

    /** Why it is lost if its time is over. */
    String expiryReason() {
        SqlFailure failed = failedRenewal;
        return "it expired without a renewal that got through in time"
                + (failed == null ? "" : "; the last one has met: " + failed.getMessage());
    }

    @Override
    public long expire() {
        Term term = term();
        return term == null ? 0 : term.remainingNanos();
    }

    /** Returns false if it was over already. */
    private boolean end(LeaseState.End how) {
        for (Term term = term(); term != null; term = term()) {
            if (state.compareAndSet(term, how)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Extends a term that has not expired. An answer that comes too late changes nothing, nor does one that comes after the answer to a
     * later statement.
     */
    public void extend(Term next) {
        while (state.get() instanceof Term term && !term.isOver() && next.isLaterThan(term)) {
            if (state.compareAndSet(term, next)) {
                return;
            }
        }
    }

    /** Ends the lease as lost, if it is still running. */
    public void lose(String reason) {
        while (state.get() instanceof Term term) {
            lose(term, reason);
        }
    }

    private void lose(Term term, String reason) {
        if (state.compareAndSet(term, LeaseState.End.LOST)) {
            // First, so that the lease is no longer renewed if something below fails.
            keeper.forget(this);
            LeaseLostException lost = endAsLost(reason);
            keeper.lost(this, lost);
        }
    }

    /** Ends the lease because its Dibs is closed; its user is notified. Returns false if it was over. */
    boolean endWithDibs() {
        boolean ended = end(LeaseState.End.CUT);
        if (ended) {
            endAsLost("its Dibs was closed");
        }
        return ended;
    }

    private LeaseLostException endAsLost(String reason) {
        LeaseLostException lost = new LeaseLostException(name(), fencingToken(), reason);
        losses.lost(lost).forEach(callback -> keeper.callBack(callback, lost));
        return lost;
    }

    /** Asks the heartbeat for a renewal, once for each term: the heartbeat repeats it. A clock that is set back ends no doubt. */
    private boolean inDoubt(Term term) {
        if (!term.equals(doubted) && term.isInDoubt()) {
            doubted = term;
            keeper.renewSoon(this);
        }
        return term.equals(doubted);
    }

    final RuntimeException endException() {
        if (state.get() == LeaseState.End.RELEASED) {
            return new IllegalStateException(
                    "the lease on '" + name() + "' (fencing token " + fencingToken() + ") is closed");
        }
        LeaseLostException lost = losses.loss();
        // The thread that found the loss may not have stored the reason yet.
        return lost != null ? lost : new LeaseLostException(name(), fencingToken(), "it has expired");
    }
}
