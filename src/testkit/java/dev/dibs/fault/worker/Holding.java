package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.Permit;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Stage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The operations under a lease, and their records. */
final class Holding {
    private final Hand hand;
    private final Lease lease;
    private final String acquire;
    private final String ledger;

    private Holding(Hand hand, Lease lease, String acquire, String ledger) {
        this.hand = hand;
        this.lease = lease;
        this.acquire = acquire;
        this.ledger = ledger;
    }

    /** Records that a lease was granted, with its current deadline; writes under it go to that name of the ledger. */
    static Holding of(Hand hand, Lease lease, Entry acquire, String ledger) {
        acquire.lease(lease.fencingToken(), lease instanceof Permit permit ? permit.slot() : 0)
                .deadline(deadline(lease))
                .end(Stage.OK);
        return new Holding(hand, lease, acquire.op(), ledger);
    }

    /** Not later than the lease's own: the clock is read first. */
    private static long deadline(Lease lease) {
        long now = System.nanoTime();
        return now + lease.remaining().toNanos();
    }

    /** Some checks and guarded writes. */
    void write() {
        for (int left = hand.random().nextInt(4); left > 0; left--) {
            check();
            append();
            hand.dawdle();
        }
        check();
    }

    /** Some checks and guarded reads. */
    void read() {
        for (int left = hand.random().nextInt(3); left > 0; left--) {
            check();
            look();
            hand.dawdle();
        }
        check();
    }

    void check() {
        Entry check = hand.next(Act.CHECK, lease.name()).hold(acquire, lease.fencingToken());
        check.invoke();
        long deadline = deadline(lease);
        check.deadline(deadline).end(lease.isValid() ? Stage.OK : Stage.FAIL);
    }

    private void append() {
        Entry write = entry(Act.WRITE);
        attempt(write, tx -> write.value(Tables.append(tx, ledger, lease.fencingToken(), write.op())));
    }

    private void look() {
        Entry read = entry(Act.READ);
        attempt(read, tx -> {
            long before = Tables.last(tx, ledger);
            Hand.sleep(hand.upTo(Duration.ofMillis(20)));
            read.value(before + " " + Tables.last(tx, ledger));
        });
    }

    private Entry entry(Act act) {
        return hand.next(act, ledger).hold(acquire, lease.fencingToken()).invoke();
    }

    private interface Work {
        void run(Connection tx) throws SQLException;
    }

    /** A transaction that outlives its lease is rare, and exclusive as well. */
    private void attempt(Entry entry, Work work) {
        try {
            lease.inTransaction(hand.dataSource(), tx -> {
                work.run(tx);
                if (hand.chance(1)) {
                    hand.dawdle();
                    Hand.sleep(Workload.LEASE);
                }
            });
            entry.end(Stage.OK);
        } catch (LeaseLostException e) {
            entry.value(null).end(Stage.FAIL);
        } catch (SQLException e) {
            // The work has thrown it: nothing was committed.
            entry.value(e).end(Stage.FAIL);
        } catch (DatabaseFailureException e) {
            entry.value(e.getMessage()).end(Stage.UNKNOWN);
        }
    }

    /** From now on the lease is not used. */
    void beginRelease() {
        hand.next(Act.RELEASE, lease.name()).hold(acquire, lease.fencingToken()).invoke();
    }

    /** The end of a run of once. */
    Entry beginRecord() {
        return hand.next(Act.RECORD, lease.name())
                .hold(acquire, lease.fencingToken())
                .invoke();
    }
}
