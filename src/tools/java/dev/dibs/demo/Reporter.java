package dev.dibs.demo;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Lease.Takeover;
import dev.dibs.LeaseLostException;
import dev.dibs.demo.Message.Word;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Writes the report if no other worker does: under a lock, whose lease guards each write. All workers have one, and wait for their turn.
 */
final class Reporter implements Runnable, AutoCloseable {

    private static final Duration EVERY = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Dibs dibs;
    private final Store store;
    private final String worker;
    private final CountDownLatch ending = new CountDownLatch(1);
    private final Thread thread = new Thread(this, "reporter");

    private Reporter(Dibs dibs, Store store, String worker) {
        this.dibs = dibs;
        this.store = store;
        this.worker = worker;
    }

    static Reporter start(Dibs dibs, Store store, String worker) {
        Reporter reporter = new Reporter(dibs, store, worker);
        reporter.thread.setDaemon(true);
        reporter.thread.start();
        return reporter;
    }

    @Override
    public void run() {
        try {
            do {
                tryToReport();
            } while (!ending.await(EVERY.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tryToReport() throws InterruptedException {
        try {
            Optional<Lease> acquired = dibs.lock("report").tryAcquire();
            if (acquired.isPresent()) {
                try (Lease lease = acquired.get()) {
                    report(lease);
                }
            }
        } catch (SQLException | DatabaseFailureException e) {
            System.err.println("The report has to wait for the database: " + e);
        }
    }

    private void report(Lease lease) throws SQLException, InterruptedException {
        long stale = lease.takeover()
                .map(Takeover::stale)
                .orElse(Duration.ofMillis(-1))
                .toMillis();
        store.update(
                "add_turn",
                worker,
                lease.fencingToken(),
                System.currentTimeMillis(),
                lease.takeover().map(takeover -> takeover.from().fencingToken()).orElse(null));
        Message.say(Word.REPORTING, lease.fencingToken(), stale);
        try {
            boolean last;
            do {
                last = ending.await(EVERY.toMillis(), TimeUnit.MILLISECONDS);
                long[] sums = store.query("sum_results", row -> new long[] {row.getLong(1), row.getLong(2)})
                        .get(0);
                lease.inTransaction(
                        store.dataSource(),
                        tx -> store.update(
                                tx,
                                "add_report",
                                worker,
                                lease.fencingToken(),
                                sums[0],
                                sums[1],
                                System.currentTimeMillis()));
            } while (!last);
        } catch (LeaseLostException e) {
            // Not guarded: this record of a refusal must be written without the lease.
            String reason = Inspection.shortened(String.valueOf(e.getMessage()));
            store.update("add_refusal", worker, lease.fencingToken(), System.currentTimeMillis(), reason);
            Message.say(Word.REFUSED, lease.fencingToken());
        }
    }

    /** Writes a last report, if it is this one's turn. */
    @Override
    public void close() {
        ending.countDown();
        try {
            thread.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
