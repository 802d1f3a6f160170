package dev.dibs.contract.locks.readwrite;

import static org.awaitility.Awaitility.await;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.ReadWriteLock;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A step of a reader that comes late or stays unanswered meets no writer. The other faults of both: {@code FaultContract}. */
@Tag("fault")
class ReadWriteFaultContract extends Fixture {

    /** An instance whose purge is over, so that the next statement is the test's. */
    private Dibs settled(FaultyDataSource faulty, Duration lease) throws InterruptedException {
        Dibs dibs = builder(faulty).leaseLength(lease).build();
        dibs.readWriteLock(fresh("settle")).read().acquire(SOON).close();
        dibs.readWriteLock(fresh("settle")).write().acquire(SOON).close();
        Thread.sleep(200);
        return dibs;
    }

    /** The look of a reader comes late: a writer may have come in between. */
    @FullTest(except = "postgresql")
    void aReaderThatIsLateAtAnyStepMeetsNoWriter() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(settled(faulty, Duration.ofMinutes(1)));
        for (int step = 1; step <= 3; step++) {
            String name = fresh("late-" + step);
            there().readWriteLock(name).write().tryAcquire().orElseThrow().close();
            CountDownLatch late = new CountDownLatch(1);
            faulty.on(sql -> true).time(step).holdBefore(late);
            CompletableFuture<Optional<Lease>> reader = CompletableFuture.supplyAsync(
                    () -> dibs.readWriteLock(name).read().tryAcquire());
            await().until(() -> reader.isDone() || !faulty.struck().isEmpty());
            Optional<Lease> writer = there().readWriteLock(name).write().tryAcquire(Duration.ofMillis(200));
            late.countDown();
            assertThat(writer.isPresent() && reader.join().isPresent())
                    .as(name + ": a reader beside a writer")
                    .isFalse();
            faulty.heal();
            reader.join().ifPresent(Lease::close);
            writer.ifPresent(Lease::close);
        }
    }

    /** The same within one statement: the gate was open when it began. */
    @Test
    void aReaderWhoseRowTakesLongMeetsNoWriter() throws Exception {
        Assumptions.assumeFalse(database().slowReaders().get(0).isEmpty(), "this database has no triggers in SQL");
        String name = fresh("slow");
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.READ_WRITE_LOCKS);
        run(prefix, database().slowReaders().get(0));
        closing(() -> run(prefix, database().slowReaders().get(1)));
        ReadWriteLock there = dibs(pool(), prefix).readWriteLock(name);
        there.write().tryAcquire().orElseThrow().close();
        CompletableFuture<Optional<Lease>> reader = CompletableFuture.supplyAsync(
                () -> dibs.readWriteLock(name).read().tryAcquire());
        Thread.sleep(200);
        Optional<Lease> writer = there.write().tryAcquire(Duration.ofMillis(200));
        assertThat(writer.isPresent() && reader.join().isPresent())
                .as("a reader beside a writer")
                .isFalse();
        reader.join().ifPresent(Lease::close);
        writer.ifPresent(Lease::close);
    }

    private void run(String prefix, List<String> statements) throws SQLException {
        sql().run(statements.stream().map(sql -> sql.replace("#", prefix)).toArray(String[]::new));
    }

    /** An unanswered acquire is admitted only if the look decides so, whatever row it has added. */
    @FullTest(except = "postgresql")
    void aReaderThatWasNotAnsweredMeetsNoWriter() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(settled(faulty, Duration.ofMinutes(1)));
        for (int step = 1; step <= 3; step++) {
            String name = fresh("unanswered-" + step);
            there().readWriteLock(name).write().tryAcquire().orElseThrow().close();
            faulty.on(sql -> true).time(step).delayAfter(Duration.ofMillis(600));
            faulty.on(sql -> true).time(step).loseAnswer();
            CompletableFuture<Optional<Lease>> reader = CompletableFuture.supplyAsync(
                    () -> dibs.readWriteLock(name).read().tryAcquire());
            Thread.sleep(200);
            CompletableFuture<Optional<Lease>> writer = CompletableFuture.supplyAsync(
                    () -> there().readWriteLock(name).write().tryAcquire(Duration.ofSeconds(2)));
            Optional<Lease> wrote = writer.join();
            Optional<Lease> read = reader.exceptionally(e -> Optional.empty()).join();
            assertThat(wrote.isPresent() && read.isPresent())
                    .as(name + ": a reader beside a writer")
                    .isFalse();
            faulty.heal();
            read.ifPresent(Lease::close);
            wrote.ifPresent(Lease::close);
        }
    }

    /** A reader that finds the gate closed removes its row. If it never learns that this took effect, it must not rely on the row again. */
    @FullTest(except = "postgresql")
    void aReaderWhoseStepBackIsLateMeetsNoWriter() throws Exception {
        Assumptions.assumeTrue(
                asked(pool(), "dibs_").statements().steps("acquire_reader").stream()
                        .anyMatch(step -> step.jdbc().startsWith("DELETE")),
                "a reader is added only while the gate is open, so it never steps back");
        FaultyDataSource faulty = new FaultyDataSource(pool());
        String name = fresh("step-back");
        Dibs dibs = dibs(faulty);
        there().readWriteLock(name).write().tryAcquire().orElseThrow().close();
        CountDownLatch look = new CountDownLatch(1);
        faulty.on(sql -> sql.startsWith("SELECT") && sql.contains("g.fence")).holdBefore(look);
        faulty.on(sql -> sql.startsWith("DELETE FROM dibs_reader")).loseStatement();
        faulty.on(sql -> sql.startsWith("DELETE FROM dibs_reader")).delayBefore(Duration.ofMillis(1_500));
        CompletableFuture<Optional<Lease>> reader = CompletableFuture.supplyAsync(
                () -> dibs.readWriteLock(name).read().tryAcquire(SOON));
        await().until(() -> reader.isDone() || !faulty.struck().isEmpty());
        List<String> owners = readers(name);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> there().readWriteLock(name)
                .write()
                .tryAcquire(Duration.ofSeconds(1))
                .ifPresent(Lease::close));
        await().until(() -> writer.isDone() || isWanted(name));
        look.countDown();
        writer.join();
        Lease read = reader.join().orElseThrow();
        for (String owner : owners) {
            if (faulty.struck().stream().anyMatch(sql -> sql.startsWith("DELETE FROM dibs_reader"))) {
                sql().run("DELETE FROM dibs_reader WHERE name = '" + name + "' AND owner = '" + owner + "'");
            }
        }
        assertThat(there().readWriteLock(name).write().tryAcquire(Duration.ofMillis(200)))
                .as("beside a reader that is valid: " + read.isValid())
                .isEmpty();
        read.close();
    }

    private boolean isWanted(String name) throws SQLException {
        return sql().finds("SELECT owner FROM dibs_gate WHERE owner IS NOT NULL AND name = '" + name + "'");
    }

    private List<String> readers(String name) throws SQLException {
        return sql().texts("SELECT owner FROM dibs_reader WHERE name = '" + name + "'");
    }
}
