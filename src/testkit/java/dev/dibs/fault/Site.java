package dev.dibs.fault;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.fault.history.Act;
import dev.dibs.fault.history.HistoryWriter;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Stage;
import dev.dibs.fault.worker.LastPass;
import dev.dibs.fault.worker.Tables;
import dev.dibs.fault.worker.Tenants;
import dev.dibs.fault.worker.Vitals;
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
final class Site implements AutoCloseable {
    static final int WORKERS = 3;
    private static final int OPEN_JOBS = 1_500;

    private final Ground ground;
    private final Path folder;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final HistoryWriter history;

    Site(Ground ground, Path folder, long seed) throws Exception {
        this.ground = ground;
        this.folder = folder;
        this.history = new HistoryWriter(ownHistory(), "site", (thread, act, begun) -> {});
        try (Connection admin = firstConnection();
                Dibs dibs = Dibs.on(ground.database().dataSource())) {
            dibs.admin().createSchema();
            // JDBC takes its name exactly.
            String quote = admin.getMetaData().getIdentifierQuoteString();
            if (!ground.schema().isEmpty()) {
                Ground.run(admin, ground.schema() + quote + Tenants.SCHEMA + quote);
            }
            try (HikariDataSource second = ground.database().pool(Tenants::enter);
                    Dibs two = Dibs.on(second)) {
                two.admin().createSchema();
            }
            Tables.make(admin, ground.timeType(), ground.partitions());
            ground.prepare(admin);
        }
        addJobs();
        ground.workersCome();
        for (int number = 0; number < WORKERS; number++) {
            workers.add(new WorkerProcess(ground, number, folder, seed));
        }
    }

    private Connection firstConnection() throws SQLException {
        ground.database().url();
        return ground.admin();
    }

    private Path ownHistory() {
        return folder.resolve("site.history");
    }

    Ground ground() {
        return ground;
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
        try (Connection admin = ground.admin()) {
            Tables.addJobs(admin, OPEN_JOBS);
        }
    }

    /** Processes the rows that the workers have left, and returns the counts of the run. */
    Map<String, Long> lastPass() throws Exception {
        ground.workersHaveGone();
        try (Dibs dibs = Dibs.builder(ground.database().dataSource())
                .leaseLength(Workload.LEASE)
                .build()) {
            return LastPass.over(dibs, history);
        }
    }

    /** Ends the workers normally, and returns the leftovers of each. */
    List<Vitals> end() throws InterruptedException {
        List<Vitals> ends = new ArrayList<>();
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
        kill(ground.database()::kill, ground.forgets());
    }

    /** Unwritten output from before it was paused is not written meanwhile. */
    void kill(WorkerProcess worker) {
        Duration forgets = ground.forgets();
        kill(worker::kill, ground.isHostedByWorkers() ? forgets.plus(worker.standstill(forgets)) : Duration.ZERO);
    }

    /** Commits that a database may then forget are recorded. */
    private void kill(Runnable how, Duration forgets) {
        Entry crash = history.next(0, Act.CRASH, ground.name()).value(forgets.toNanos());
        if (!forgets.isZero()) {
            crash.invoke();
        }
        how.run();
        if (!forgets.isZero()) {
            crash.end(Stage.OK);
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
        Files.write(folder.resolve("sessions.txt"), ground.listSessions());
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
