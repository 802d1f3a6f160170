package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.logging.Level;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * A run waits for the number of its rows no longer than a moment. A count that takes long does not outlive the workers of its run, and does
 * not keep the only connection from them.
 */
class RunCountContract extends ContractFixture {
    /** To count them takes ten seconds at least; H2 looks for a cancel every 128 rows. */
    private static final int ROWS = 6_000;

    @FullTest(except = "postgresql")
    void closeEndsTheCount() throws Exception {
        Jobs jobs = jobs(ROWS);
        Dibs dibs = dibs(slowToCount(pool()));
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

    @FullTest
    void theCountGivesTheOnlyConnectionToTheWorkers() throws Exception {
        Jobs jobs = jobs(ROWS);
        Dibs dibs = dibs(slowToCount(closing(database().pool(config -> config.setMaximumPoolSize(1)))));
        Dibs other = dibs(pool());
        String run = fresh("starved");
        CountDownLatch worked = new CountDownLatch(1);
        RunWorkers<?> workers = dibs.run(run)
                .over(jobs.claims(dibs).build())
                .work(key -> worked.countDown())
                .start();
        worked.await();
        assertThat(workers.failure()).isEmpty();
        assertThat(other.run(run).status().orElseThrow().total()).isEmpty();
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

    @FullTest(except = {"postgresql", "h2"})
    void aRunStartsBeforeItsRowsAreCounted() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        Jobs jobs = jobs(3);
        Run run = overFaulty().run(fresh("huge"));
        var claims = jobs.claims(overFaulty()).build();
        faulty().on(sql -> sql.contains("AS to_do")).holdBefore(goOn);
        CountDownLatch worked = new CountDownLatch(3);
        CountDownLatch end = new CountDownLatch(1);
        RunWorkers<?> workers = run.over(claims)
                .work(key -> {
                    worked.countDown();
                    if (worked.getCount() == 0) {
                        end.await();
                    }
                })
                .start();
        worked.await();
        RunStatus status = run.status().orElseThrow();
        assertThat(status.total()).isEmpty();
        assertThat(status.left()).isEmpty();
        goOn.countDown();
        await().until(() -> run.status().orElseThrow().total().isPresent());
        end.countDown();
        assertThat(workers.await()).isEqualTo(End.FINISHED);
    }

    @Test
    void aRunWhoseRowsCannotBeCountedHasNoTotal() throws Exception {
        Jobs jobs = jobs(3);
        Run run = overFaulty().run(fresh("uncounted"));
        var claims = jobs.claims(overFaulty()).build();
        faulty().on(sql -> sql.contains("AS to_do")).always().fail("57014", 0);
        try (Warnings said = new Warnings(run.name(), Level.INFO)) {
            assertEnds(End.FINISHED, run.over(claims).work(key -> {}));
            assertThat(said.heard()).singleElement().asString().contains("could not be counted");
        }
        assertThat(run.status().orElseThrow().total()).isEmpty();
        assertThat(jobs.done()).hasSize(3);
    }

    @Test
    void aQuestionWithoutAnAnswerHasNoEffect() throws Exception {
        Jobs jobs = jobs(3);
        var claims = jobs.claims(overFaulty()).build();
        faulty().on(sql -> sql.contains("AS to_do")).loseAnswer();
        assertThatThrownBy(claims::count)
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("nothing was changed")
                .hasMessageNotContaining("took effect");
    }
}
