package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.Permit;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The operations under a lease, and their records. */
final class Holding {
    private final WorkerContext context;
    private final Lease lease;
    private final String acquire;
    private final String ledger;

    private Holding(WorkerContext context, Lease lease, String acquire, String ledger) {
        this.context = context;
        this.lease = lease;
        this.acquire = acquire;
        this.ledger = ledger;
    }

    /** Records that a lease was granted, with its current deadline; writes under it go to that name of the ledger. */
    static Holding of(WorkerContext context, Lease lease, Entry acquire, String ledger) {
        acquire.lease(lease.fencingToken(), lease instanceof Permit permit ? permit.slot() : 0)
                .deadline(deadline(lease))
                .end(OperationState.OK);
        return new Holding(context, lease, acquire.op(), ledger);
    }

    /** Not later than the lease's own: the clock is read first. */
    private static long deadline(Lease lease) {
        long now = System.nanoTime();
        return now + lease.remaining().toNanos();
    }

    /** Some checks and guarded writes. */
    void write() {
        for (int left = context.random().nextInt(4); left > 0; left--) {
            check();
            append();
            context.dawdle();
        }
        check();
    }

    /** Some checks and guarded reads. */
    void read() {
        for (int left = context.random().nextInt(3); left > 0; left--) {
            check();
            look();
            context.dawdle();
        }
        check();
    }

    void check() {
        Entry check = context.next(OperationKind.CHECK, lease.name()).hold(acquire, lease.fencingToken());
        check.invoke();
        long deadline = deadline(lease);
        check.deadline(deadline).end(lease.isValid() ? OperationState.OK : OperationState.FAIL);
    }

    private void append() {
        Entry write = entry(OperationKind.WRITE);
        attempt(write, tx -> write.value(Tables.append(tx, ledger, lease.fencingToken(), write.op())));
    }

    private void look() {
        Entry read = entry(OperationKind.READ);
        attempt(read, tx -> {
            long before = Tables.last(tx, ledger);
            WorkerContext.sleep(context.upTo(Duration.ofMillis(20)));
            read.value(before + " " + Tables.last(tx, ledger));
        });
    }

    private Entry entry(OperationKind kind) {
        return context.next(kind, ledger).hold(acquire, lease.fencingToken()).invoke();
    }

    private interface Work {
        void run(Connection tx) throws SQLException;
    }

    /** A transaction that outlives its lease is rare, and exclusive as well. */
    private void attempt(Entry entry, Work work) {
        try {
            lease.inTransaction(context.dataSource(), tx -> {
                work.run(tx);
                if (context.chance(1)) {
                    context.dawdle();
                    WorkerContext.sleep(Workload.LEASE);
                }
            });
            entry.end(OperationState.OK);
        } catch (LeaseLostException e) {
            entry.value(null).end(OperationState.FAIL);
        } catch (SQLException e) {
            // The work has thrown it: nothing was committed.
            entry.value(e).end(OperationState.FAIL);
        } catch (DatabaseFailureException e) {
            entry.value(e.getMessage()).end(OperationState.UNKNOWN);
        }
    }

    /** From now on the lease is not used. */
    void beginRelease() {
        context.next(OperationKind.RELEASE, lease.name())
                .hold(acquire, lease.fencingToken())
                .invoke();
    }

    /** The end of a run of once. */
    Entry beginRecord() {
        return context.next(OperationKind.RECORD, lease.name())
                .hold(acquire, lease.fencingToken())
                .invoke();
    }
}
