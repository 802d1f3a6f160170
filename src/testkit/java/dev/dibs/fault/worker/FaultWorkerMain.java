package dev.dibs.fault.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.fault.history.HistoryWriter;
import dev.dibs.fault.history.OperationKind;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;

/**
 * A worker: threads that run random operations of Dibs until they are asked to stop, during all faults. It reads orders from its standard
 * input, one a line, and answers on its output with lines in capital letters; all other output is for people.
 */
public final class FaultWorkerMain {
    public static final int THREADS = 3;

    /** The system property for a dialect that is not detected. */
    public static final String DIALECT = "faults.dialect";

    private FaultWorkerMain() {}

    private static DibsBuilder builder(DataSource dataSource) {
        DibsBuilder builder = Dibs.builder(dataSource).leaseLength(Workload.LEASE);
        String dialect = System.getProperty(DIALECT);
        return dialect == null ? builder : builder.dialect(Dialect.named(dialect));
    }

    private static HikariConfig config(String[] args) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setUsername(args[1]);
        config.setPassword(args[2]);
        config.setMaximumPoolSize(2 * THREADS);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(2_000);
        config.setValidationTimeout(500);
        config.setInitializationFailTimeout(-1);
        // The database's own. HikariCP 7.1 else asks its first connection, and gives none for good if that one breaks
        // then.
        if (!args[0].startsWith("jdbc:sqlite:")) {
            boolean isMysql = args[0].startsWith("jdbc:mariadb:") || args[0].startsWith("jdbc:mysql:");
            config.setTransactionIsolation(isMysql ? "TRANSACTION_REPEATABLE_READ" : "TRANSACTION_READ_COMMITTED");
        }
        return config;
    }

    /** Arguments: url, user, password, file for the history, name of the process, seed. */
    public static void main(String[] args) throws Exception {
        HikariConfig second = config(args);
        Tenants.enter(second);
        try (HikariDataSource pool = new HikariDataSource(config(args));
                HikariDataSource two = new HikariDataSource(second);
                HistoryWriter history = new HistoryWriter(Path.of(args[3]), args[4], FaultWorkerMain::tell)) {
            FaultyDataSource faulty = new FaultyDataSource(pool);
            Dibs dibs = persist(() -> builder(faulty).holder(args[4]).build());
            Tenants tenants = new Tenants(faulty, two);
            Dibs routed = persist(
                    () -> builder(tenants).batching(false).holder(args[4]).build());
            Jobs jobs = persist(() -> Jobs.of(dibs));
            Random seeds = new Random(Long.parseLong(args[5]));
            PauseGate gate = new PauseGate();
            List<Thread> threads = new ArrayList<>();
            for (int thread = 1; thread <= THREADS; thread++) {
                WorkerContext context = new WorkerContext(dibs, faulty, history, thread, new Random(seeds.nextLong()));
                threads.add(new Thread(new WorkerLoop(context, gate, jobs, routed), "hand-" + thread));
            }
            threads.forEach(Thread::start);
            System.out.println("READY");
            obey(new Orders(pool, faulty, gate, new Random(seeds.nextLong())));
            gate.close();
            for (Thread thread : threads) {
                thread.join();
            }
            dibs.close();
            routed.close();
            WorkerStats.awaitEndOfThreads();
            System.out.println("ENDED " + WorkerStats.of(pool).toJson());
        }
    }

    /** A check or an interrupt sends nothing, and proves nothing. */
    private static void tell(int thread, OperationKind kind, long begun) {
        if (kind != OperationKind.CHECK && kind != OperationKind.INTERRUPT) {
            System.out.println("DID " + thread + " " + begun);
        }
    }

    private static void obey(Orders orders) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String order = input.readLine();
        while (order != null && !order.equals("end")) {
            orders.obey(order);
            order = input.readLine();
        }
    }

    private interface Attempt<T> {
        T make();
    }

    /** A process that is started while the database is away tries again. */
    private static <T> T persist(Attempt<T> attempt) {
        String seen = "";
        while (true) {
            try {
                return attempt.make();
            } catch (DatabaseFailureException e) {
                Throwable cause = e;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                if (!seen.equals(cause.toString())) {
                    seen = cause.toString();
                    System.out.println("cannot start yet: " + seen);
                }
                WorkerContext.sleep(Duration.ofMillis(200));
            }
        }
    }
}
