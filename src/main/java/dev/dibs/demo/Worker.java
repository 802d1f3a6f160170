package dev.dibs.demo;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.demo.Journal.Undone;
import dev.dibs.demo.Message.Word;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One of the processes that verify: takes the lock of a directory, reads its jars, commits the result while the lease holds
 * for certain.
 */
public final class Worker {

    private static final long IDLE_MILLIS = 50;
    private static final long RETRY_MILLIS = 200;
    private static final int MOST_ERRORS = 25;

    private final Orders orders;
    private final Pace pace;
    private final Path repository;
    private final HikariDataSource pool;
    private final Dibs dibs;
    private final Journal journal;

    private Worker(WorkerArguments arguments, Orders orders, HikariDataSource pool, Dibs dibs) {
        this.orders = orders;
        this.pool = pool;
        this.dibs = dibs;
        pace = arguments.pace();
        repository = arguments.repository();
        journal = new Journal(new Store(pool, new DemoSql(arguments.prefix())), arguments.name());
    }

    /** Started by {@link Demo} only. */
    public static void main(String[] args) throws InterruptedException {
        Orders orders = Orders.from(System.in);
        WorkerArguments arguments = WorkerArguments.parse(args);
        Settings settings = Settings.read();
        try (HikariDataSource pool = DemoDatabase.pool(settings.url(), settings.user(), settings.password());
                Dibs dibs = Dibs.builder(pool)
                        .tablePrefix(arguments.prefix())
                        .lease(Duration.ofMillis(arguments.leaseMillis()))
                        .holder(arguments.name())
                        .build()) {
            say(Word.READY);
            new Worker(arguments, orders, pool, dibs).run();
        }
    }

    private static void say(Word word, long... numbers) {
        System.out.println(Message.line(word, numbers));
    }

    /** Works until everything is done; a database that fails now and then is asked again. */
    private void run() throws InterruptedException {
        int errors = 0;
        while (errors < MOST_ERRORS) {
            try {
                boolean all = pace.allReleased();
                List<Undone> undone = journal.undone(pace.released());
                if (undone.isEmpty() && all) {
                    return;
                }
                if (!workOnOne(undone)) {
                    Thread.sleep(IDLE_MILLIS);
                }
            } catch (SQLException | DibsException e) {
                errors++;
                e.printStackTrace();
                Thread.sleep(RETRY_MILLIS);
            }
        }
        throw new IllegalStateException("the database failed " + errors + " times");
    }

    /** The oldest first, so that what a vanished worker left behind is next in line. */
    private boolean workOnOne(List<Undone> undone) throws SQLException {
        for (Undone directory : undone) {
            Optional<Lease> acquired = dibs.lock("directory", directory.id()).tryAcquire();
            if (acquired.isPresent()) {
                try (Lease lease = acquired.get()) {
                    work(directory, lease, System.currentTimeMillis());
                }
                return true;
            }
        }
        return false;
    }

    private void work(Undone directory, Lease lease, long acquiredAt) throws SQLException {
        int id = directory.id();
        if (journal.isDone(id)) {
            return; // Somebody was faster between our look at the list and our lock.
        }
        journal.acquired(id, lease, acquiredAt);
        announce(id, lease);
        List<JarReport> reports = read(directory, lease);
        try {
            lease.inTransaction(pool, tx -> journal.commit(tx, id, lease.fence(), reports));
            say(Word.DONE, id, lease.fence());
        } catch (LeaseLostException e) {
            journal.refused(id, lease.fence(), String.valueOf(e.getMessage()));
            say(Word.REFUSED, id, lease.fence());
        }
    }

    private static void announce(int id, Lease lease) {
        lease.takeover()
                .ifPresentOrElse(
                        takeover -> say(
                                Word.TOOK,
                                id,
                                lease.fence(),
                                takeover.from().fence(),
                                takeover.stale().toMillis()),
                        () -> say(Word.READING, id));
    }

    /** An application would call {@code lease.check()} on the way; here the late write is meant to be tried. */
    private List<JarReport> read(Undone directory, Lease lease) {
        Runnable pulse = () -> lingerIfTold(directory.id(), lease);
        List<JarReport> reports = new ArrayList<>();
        for (Path jar : Artifacts.jarsOf(repository.resolve(directory.path()))) {
            reports.add(JarCheck.check(jar, pulse));
        }
        pulse.run();
        return reports;
    }

    /** Stays in the middle of the directory and tells how long the lease is certainly held. */
    private void lingerIfTold(int id, Lease lease) {
        while (orders.lingering()) {
            long now = System.currentTimeMillis();
            say(Word.HOLDING, id, lease.fence(), now + lease.remaining().toMillis());
            try {
                Thread.sleep(IDLE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
