package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Acquires the gate, which keeps new readers out, and then waits until the present readers have left. The lease on the gate is renewed
 * like any other, so it expires if this process dies.
 */
public record WriterAcquire(Acquirer acquirer, WriterRequest request) implements Acquiring {

    @Override
    public AcquireOutcome acquire(Duration lease, Duration wait) {
        requirePossible();
        AcquireLoop loop = acquirer.loop(request, lease, wait);
        AcquireLoop.QueueTurn turn = () -> loop.ask(request, lease.toMillis(), loop::isOver);
        try {
            AcquireOutcome attempt;
            do {
                // A writer that may not wait must not block readers: it looks first.
                attempt = turn.ask();
                if (!loop.isDone(attempt)) {
                    attempt = loop.await(attempt, () -> turn);
                }
                if (attempt.lease() != null) {
                    attempt = awaitReaders(loop, attempt.lease());
                }
            } while (!loop.isDone(attempt));
            return loop.end(attempt);
        } catch (InterruptedException | RuntimeException | Error e) {
            throw loop.failed(e);
        }
    }

    private void requirePossible() {
        if (acquirer.keeper.hasOfThisThread(LeaseKind.READER, request.name())) {
            throw new IllegalStateException("this thread acquired a read lease on '" + request.name()
                    + "' that is still open, and a writer waits until every reader has left: it would wait for itself."
                    + " A reader cannot become a writer; close the read lease first, and look again at what you read");
        }
    }

    /** Returns the lease when the readers have left. If the time or the lease ends before, releases it and returns one of the readers. */
    private AcquireOutcome awaitReaders(AcquireLoop loop, HeldLease gate) throws InterruptedException {
        boolean entered = false;
        LeaseName readers = new LeaseName(LeaseKind.READER, request.name());
        try (WaitingRooms.Place place = acquirer.waiting.enter(readers);
                Pauses pauses = new Pauses(place, acquirer, readers, true)) {
            while (true) {
                AcquireOutcome attempt = ask(loop, gate);
                if (attempt.lease() != null) {
                    entered = true;
                    acquirer.keeper.grant(gate);
                    return attempt;
                }
                if (gate.isOver() || loop.isOver()) {
                    return attempt;
                }
                pauses.sleep(attempt, loop.patience().remainingNanos());
            }
        } finally {
            if (!entered) {
                gate.close();
            }
        }
    }

    /** Asks until the database gives a clear answer. Asking twice does no harm. */
    private AcquireOutcome ask(AcquireLoop loop, HeldLease gate) throws InterruptedException {
        try {
            return Objects.requireNonNull(Retry.run(loop.patience(), () -> askOnce(gate)));
        } catch (SqlFailure e) {
            throw acquirer.errors.explain(e);
        }
    }

    private AcquireOutcome askOnce(HeldLease gate) throws SqlFailure {
        if (gate.isOver()) {
            return AcquireOutcome.outOfTurn();
        }
        List<LeaseRow> rows = request.enter(acquirer.database, gate.owner(), gate.length());
        boolean ours = rows.stream().anyMatch(row -> row.isOwnedBy(gate.owner()));
        // The answer may be old by now; the lease must not have expired.
        if (ours && gate.isValid()) {
            return AcquireOutcome.won(gate);
        }
        return rows.isEmpty() || ours ? AcquireOutcome.outOfTurn() : AcquireOutcome.busy(rows.get(0), LeaseKind.READER);
    }
}
