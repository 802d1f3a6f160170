package dev.dibs.fault;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.fault.history.HistoryWriter;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationKind;
import dev.dibs.fault.history.OperationState;
import dev.dibs.fault.worker.LastPass;
import dev.dibs.fault.worker.Tables;
import dev.dibs.fault.worker.Tenants;
import dev.dibs.fault.worker.WorkerStats;
import dev.dibs.fault.worker.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A database, its workers, and the history of changes by hand. */
final class FaultSetup implements AutoCloseable {
    static final int WORKERS = 3;
    private static final int OPEN_JOBS = 1_500;

    private final DatabaseUnderTest database;
    private final Path folder;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final HistoryWriter history;

    FaultSetup(DatabaseUnderTest database, Path folder, long seed) throws Exception {
        this.database = database;
        this.folder = folder;
        this.history = new HistoryWriter(ownHistory(), "site", (thread, kind, begun) -> {});
        try (Connection admin = firstConnection();
                Dibs dibs = Dibs.on(database.database().dataSource())) {
            dibs.admin().createSchema();
            // JDBC takes its name exactly.
            String quote = admin.getMetaData().getIdentifierQuoteString();
            if (!database.schema().isEmpty()) {
                DatabaseUnderTest.run(admin, database.schema() + quote + Tenants.SCHEMA + quote);
            }
            try (HikariDataSource second = database.database().pool(Tenants::enter);
                    Dibs two = Dibs.on(second)) {
                two.admin().createSchema();
            }
            Tables.make(admin, database.timeType(), database.partitions());
            database.prepare(admin);
        }
        addJobs();
        database.workersCome();
        for (int number = 0; number < WORKERS; number++) {
            workers.add(new WorkerProcess(database, number, folder, seed));
        }
    }

    private Connection firstConnection() throws SQLException {
        database.database().url();
        return database.admin();
    }

    private Path ownHistory() {
        return folder.resolve("site.history");
    }

    DatabaseUnderTest database() {
        return database;
    }

    List<WorkerProcess> workers() {
        return workers;
    }

    HistoryWriter history() {
        return history;
    }

    /** The first worker is never killed, so that it would show a leak. */
    WorkerProcess veteran() {
        return workers.get(0);
    }

    void addJobs() throws SQLException {
        try (Connection admin = database.admin()) {
            Tables.addJobs(admin, OPEN_JOBS);
        }
    }

    /** Processes the rows that the workers have left, and returns the counts of the run. */
    Map<String, Long> lastPass() throws Exception {
        database.workersHaveGone();
        try (Dibs dibs = Dibs.builder(database.database().dataSource())
                .leaseLength(Workload.LEASE)
                .build()) {
            return LastPass.over(dibs, history);
        }
    }

    /** Ends the workers normally, and returns the leftovers of each. */
    List<WorkerStats> end() throws InterruptedException {
        List<WorkerStats> ends = new ArrayList<>();
        for (WorkerProcess worker : workers) {
            ends.add(worker.end());
        }
        return ends;
    }

    void killWorkers() {
        workers.forEach(WorkerProcess::kill);
    }

    void awaitStart() throws InterruptedException {
        for (WorkerProcess worker : workers) {
            worker.awaitStart();
        }
    }

    void killDatabase() {
        kill(database.database()::kill, database.forgets());
    }

    /** Unwritten output from before it was paused is not written meanwhile. */
    void kill(WorkerProcess worker) {
        Duration forgets = database.forgets();
        kill(worker::kill, database.isHostedByWorkers() ? forgets.plus(worker.standstill(forgets)) : Duration.ZERO);
    }

    /** Commits that a database may then forget are recorded. */
    private void kill(Runnable how, Duration forgets) {
        Entry crash = history.next(0, OperationKind.CRASH, database.name()).value(forgets.toNanos());
        if (!forgets.isZero()) {
            crash.invoke();
        }
        how.run();
        if (!forgets.isZero()) {
            crash.end(OperationState.OK);
        }
    }

    /** Records an action, with the time as in the histories. */
    void note(String what) throws IOException {
        Files.writeString(
                folder.resolve("faults.log"),
                System.nanoTime() + " " + what + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** To find out why nothing goes on: the stack of each thread, and each session of the database. */
    void dump(List<WorkerProcess> late) throws Exception {
        for (WorkerProcess worker : late) {
            worker.dumpThreads();
        }
        Files.write(folder.resolve("sessions.txt"), database.listSessions());
    }

    List<Path> histories() {
        List<Path> files = new ArrayList<>(List.of(ownHistory()));
        workers.forEach(worker -> files.addAll(worker.histories()));
        // A worker that was killed soon enough has not begun one.
        return files.stream().filter(Files::exists).toList();
    }

    @Override
    public void close() throws IOException {
        for (WorkerProcess worker : workers) {
            worker.close();
        }
        history.close();
    }
}
