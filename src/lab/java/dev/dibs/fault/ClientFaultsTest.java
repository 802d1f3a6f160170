package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullRun;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.process.GoProgram;
import dev.dibs.process.Shell;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients in another language and Java count in one row under one lock, read first and written later, while the clients are killed, stopped
 * for longer than a lease and resumed, and cut off. No addition may be lost or done twice. {@code -Dclients.seconds=300} goes on for longer,
 * {@code -Dclients.seed=1} repeats an order of faults.
 */
@OnEachDatabase({PostgresDatabase.class, MariaDbDatabase.class, MySqlDatabase.class})
@Tag("fault")
@FullRun
@Timeout(1200)
class ClientFaultsTest implements DatabaseUser {
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("clients.seconds", 20));
    private static final long SEED = Long.getLong("clients.seed", System.nanoTime() % 1_000_000);
    private static final Duration LEASE = Duration.ofMillis(1500);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int CLIENTS = 4;
    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Two tests may run on one database at a time. */
    private final String table = "client_faults_" + COUNT.incrementAndGet();

    private enum Fault {
        KILL,
        STOP,
        CUT
    }

    private TestDatabase database;

    /** Additions that were reported, and those of which nobody knows: their answers were lost. */
    private final AtomicInteger reported = new AtomicInteger();

    private final AtomicInteger unknown = new AtomicInteger();

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    @Test
    void goLosesNoAddition() throws Exception {
        Assumptions.assumeTrue(
                GoProgram.obstacle().isEmpty(), () -> GoProgram.obstacle().orElse(""));
        countUnderFaults(List.of(GoProgram.right().conformance().toString()));
    }

    @Test
    void phpLosesNoAddition() throws Exception {
        String check = "exit(extension_loaded('" + database.phpDriver() + "') ? 0 : 1);";
        Assumptions.assumeTrue(exitsWithZero("php", "-r", check), () -> "no PHP with " + database.phpDriver());
        countUnderFaults(List.of(
                "php", Path.of("clients/php/conformance.php").toAbsolutePath().toString()));
    }

    private static boolean exitsWithZero(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private void countUnderFaults(List<String> command) throws Exception {
        Sql sql = Sql.on(database.dataSource());
        sql.run("CREATE TABLE " + table + " (id int PRIMARY KEY, n int NOT NULL)");
        sql.run("INSERT INTO " + table + " VALUES (1, 0)");
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Worker> workers = new ArrayList<>();
        try (Dibs dibs = Dibs.on(database.dataSource())) {
            dibs.admin().createSchema();
            long end = System.nanoTime() + LENGTH.toNanos();
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Worker worker = new Worker(command, i);
                workers.add(worker);
                counts.add(threads.submit(() -> worker.countUntil(end)));
            }
            Future<Integer> inJava = threads.submit(() -> countInJava(dibs, end));
            Map<Fault, Integer> faults = cause(workers, end);
            for (Future<Integer> count : counts) {
                assertThat(count.get()).as("a client has counted, seed " + SEED).isPositive();
            }
            assertThat(inJava.get()).isPositive();
            int n = Math.toIntExact(sql.number("SELECT n FROM " + table));

            System.out.println(database.name() + ": " + n + " additions, " + reported + " reported (" + inJava.get()
                    + " in Java), " + unknown + " unknown; " + faults + "; seed " + SEED);
            assertThat(n).as("seed " + SEED).isBetween(reported.get(), reported.get() + unknown.get());
            assertThat(faults).hasSize(Fault.values().length);
        } finally {
            threads.shutdownNow();
            for (Worker worker : workers) {
                worker.close();
            }
            sql.run("DROP TABLE " + table);
        }
    }

    private int countInJava(Dibs dibs, long end) throws Exception {
        int count = 0;
        while (goesOn(end, count)) {
            try (Connection connection = database.dataSource().getConnection()) {
                connection.setAutoCommit(false);
                try (Lease lease = dibs.lock(table).leaseLength(LEASE).acquire(PATIENCE)) {
                    lease.guard(connection);
                    Sql sql = Sql.on(connection);
                    int n = Math.toIntExact(sql.number("SELECT n FROM " + table + " WHERE id = 1"));
                    Thread.sleep(2);
                    sql.run("UPDATE " + table + " SET n = " + (n + 1) + " WHERE id = 1");
                    connection.commit();
                    reported.incrementAndGet();
                    count++;
                } catch (LeaseLostException e) {
                    // This machine stood still for a lease: the guard refused, and nothing was written.
                    connection.rollback();
                }
            }
        }
        return count;
    }

    /** Until the end. Who has not counted by then, on a slow machine, has more time, without faults. */
    private static boolean goesOn(long end, int count) {
        long now = System.nanoTime();
        return now < end || (count == 0 && now < end + PATIENCE.toNanos());
    }

    /** Until the end, and each of them at least once. */
    private static Map<Fault, Integer> cause(List<Worker> workers, long end) throws Exception {
        Random random = new Random(SEED);
        Map<Fault, Integer> caused = new EnumMap<>(Fault.class);
        for (int i = 0; System.nanoTime() < end; i++) {
            Thread.sleep(100 + random.nextInt(400));
            Fault fault = Fault.values()[i % Fault.values().length];
            workers.get(random.nextInt(workers.size())).meet(fault);
            caused.merge(fault, 1, Integer::sum);
        }
        return caused;
    }

    /** A process that counts, and is started anew after it was killed. */
    private final class Worker implements AutoCloseable {
        private final List<String> command;
        private final int number;
        private final TcpProxy proxy;
        private volatile Process process;

        Worker(List<String> command, int number) throws IOException {
            this.command = command;
            this.number = number;
            proxy = TcpProxy.to(database.port());
        }

        private Process start() throws IOException {
            URI address = URI.create(database.url().substring("jdbc:".length()).replaceFirst("\\?.*", ""));
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment()
                    .putAll(Map.of(
                            "DIBS_HOST", "127.0.0.1",
                            "DIBS_PORT", String.valueOf(proxy.port()),
                            "DIBS_DATABASE", address.getPath().substring(1),
                            "DIBS_USER", database.user(),
                            "DIBS_PASSWORD", database.password(),
                            "DIBS_DIALECT", database.name()));
            return builder.start();
        }

        void meet(Fault fault) throws IOException, InterruptedException {
            Process current = process;
            if (current == null) {
                return;
            }
            switch (fault) {
                case KILL -> current.destroyForcibly().waitFor();
                case CUT -> proxy.reset();
                case STOP -> {
                    signal("STOP", current);
                    TimeUnit.MILLISECONDS.sleep(LEASE.toMillis() * 3 / 2);
                    signal("CONT", current);
                }
            }
        }

        private static void signal(String signal, Process process) throws IOException {
            try {
                Shell.signal(signal, process.pid());
            } catch (IOException e) {
                // It may have ended just now.
                if (process.isAlive()) {
                    throw e;
                }
            }
        }

        int countUntil(long end) throws IOException {
            int count = 0;
            while (goesOn(end, count)) {
                Process current = start();
                process = current;
                try (BufferedReader answers = current.inputReader(StandardCharsets.UTF_8);
                        Writer requests = current.outputWriter(StandardCharsets.UTF_8)) {
                    for (int i = 0; goesOn(end, count); i++) {
                        count += (i + number) % 2 == 0
                                ? underLease(answers, requests)
                                : inTransaction(answers, requests);
                    }
                } catch (IOException e) {
                    // It was killed.
                }
                current.destroyForcibly();
            }
            return count;
        }

        private int underLease(BufferedReader answers, Writer requests) throws IOException {
            String acquired = ask(
                    answers,
                    requests,
                    "{\"do\":\"acquire\",\"name\":\"" + table + "\",\"leaseMillis\":" + LEASE.toMillis()
                            + ",\"waitMillis\":5000}");
            if (!acquired.contains("\"got\":true")) {
                return 0;
            }
            int count = add(answers, requests, "{\"do\":\"add\",\"table\":\"" + table + "\",\"millis\":2}");
            String unused = ask(answers, requests, "{\"do\":\"release\"}");
            return count;
        }

        private int inTransaction(BufferedReader answers, Writer requests) throws IOException {
            return add(
                    answers,
                    requests,
                    "{\"do\":\"add_free\",\"name\":\"" + table + "\",\"table\":\"" + table + "\",\"millis\":2}");
        }

        private int add(BufferedReader answers, Writer requests, String request) throws IOException {
            unknown.incrementAndGet();
            String answer = ask(answers, requests, request);
            // Any other error says that nothing was done.
            if (!answer.contains("not known")) {
                unknown.decrementAndGet();
            }
            if (answer.contains("\"added\":true")) {
                reported.incrementAndGet();
                return 1;
            }
            return 0;
        }

        private String ask(BufferedReader answers, Writer requests, String request) throws IOException {
            requests.write(request + "\n");
            requests.flush();
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("it has ended");
            }
            return answer;
        }

        @Override
        public void close() throws IOException {
            if (process != null) {
                process.destroyForcibly();
            }
            proxy.close();
        }
    }
}
