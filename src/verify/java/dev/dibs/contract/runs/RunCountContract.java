package dev.dibs.contract.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.runs.RunWorkers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A count that takes long does not outlive the workers of its run, and does not keep the only connection from them. */
@Tag("contract")
class RunCountContract extends Fixture {

    /** To count them takes ten seconds at least; H2 looks for a cancel every 128 rows. */
    private static final int ROWS = 6_000;

    @Test
    @FullRun(except = "postgresql")
    void closeEndsTheCount() throws Exception {
        try (Jobs jobs = new Jobs(pool(), ROWS);
                Dibs dibs = dibs(slowToCount(pool()))) {
            String run = fresh("closed");
            CountDownLatch worked = new CountDownLatch(1);
            RunWorkers<?> workers = dibs.run(run)
                    .over(jobs.claims(dibs).build())
                    .batch(1)
                    .work(key -> {
                        worked.countDown();
                        Thread.sleep(5);
                    })
                    .start();
            worked.await();
            assertThat(isCounting(run)).isTrue();
            workers.close();
            // On a busy machine it takes a while until H2 looks.
            await().until(() -> !isCounting(run));
            assertThat(dibs.run(run).status().orElseThrow().total())
                    .as("it was cancelled")
                    .isEmpty();
        }
    }

    @Test
    @FullRun
    void theCountGivesTheOnlyConnectionToTheWorkers() throws Exception {
        try (Jobs jobs = new Jobs(pool(), ROWS);
                HikariDataSource one = database().pool(config -> config.setMaximumPoolSize(1));
                Dibs dibs = dibs(slowToCount(one));
                Dibs other = dibs(pool())) {
            String run = fresh("starved");
            CountDownLatch worked = new CountDownLatch(1);
            try (RunWorkers<?> workers = dibs.run(run)
                    .over(jobs.claims(dibs).build())
                    .work(key -> worked.countDown())
                    .start()) {
                worked.await();
                assertThat(workers.failure()).isEmpty();
                assertThat(other.run(run).status().orElseThrow().total()).isEmpty();
            }
        }
    }

    private static boolean isCounting(String run) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("dibs-run-" + run + "-count"));
    }

    /** The statement that counts takes long for each row; all others are as they were. */
    private DataSource slowToCount(DataSource source) {
        String slowly = database().slowly("t.id").orElse("");
        assumeFalse(slowly.isEmpty(), "this database has no condition that takes long");
        return wrapped(
                DataSource.class,
                source,
                "getConnection",
                arguments -> arguments,
                connection -> wrapped(
                        Connection.class,
                        (Connection) connection,
                        "prepareStatement",
                        arguments -> {
                            String sql = (String) arguments[0];
                            arguments[0] = sql.contains("AS to_do") ? sql + " AND " + slowly : sql;
                            return arguments;
                        },
                        statement -> statement));
    }

    private static <T> T wrapped(
            Class<T> type,
            T target,
            String method,
            Function<Object[], Object[]> before,
            Function<Object, Object> after) {
        return type.cast(Proxy.newProxyInstance(
                RunCountContract.class.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
                    boolean isThis = called.getName().equals(method);
                    try {
                        Object result = called.invoke(
                                target, isThis && arguments != null ? before.apply(arguments) : arguments);
                        return isThis ? after.apply(result) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
