package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A statement of PostgreSQL sees the rows of its snapshot, and locks them later. Here its clock stops it in between, while another caller
 * acquires the lock.
 */
@Tag("steps")
@OnEachDatabase(PostgresDatabase.class)
class SnapshotContract extends Fixture {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void oneLockIsNotAcquiredByAnOldSnapshot() throws Exception {
        acquiresNothing(names -> dibs -> dibs.lock(names.get(0)).tryAcquire());
    }

    @Test
    void severalLocksAreNotAcquiredByAnOldSnapshot() throws Exception {
        acquiresNothing(names -> dibs -> dibs.lockAll(names).tryAcquire());
    }

    private void acquiresNothing(Function<List<String>, Function<Dibs, Optional<?>>> acquires) throws Exception {
        int gate = COUNT.incrementAndGet();
        String clock = "gated_clock" + gate + "()";
        sql().run("CREATE FUNCTION " + clock + " RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN"
                + " PERFORM pg_advisory_xact_lock_shared(" + gate + ");"
                + " RETURN (extract(epoch FROM clock_timestamp()) * 1000)::bigint; END $$");
        Files.writeString(
                folder.resolve("dialect.sql"),
                "-- fragment: base\npostgresql\n\n-- fragment: now_once\n(SELECT " + clock + ")\n");
        List<String> names = List.of(fresh("a"), fresh("b"));
        try (Dibs theirs = dibs();
                Dibs mine = builder(pool()).dialect(Dialect.at(folder)).build();
                Connection keeper = pool().getConnection()) {
            // The rows exist. Another instance is their last holder, so ours asks for them by a plain acquire.
            theirs.lockAll(names).tryAcquire().orElseThrow().close();
            Sql.on(keeper).run("SELECT pg_advisory_lock(" + gate + ")");
            CompletableFuture<Optional<?>> asked =
                    CompletableFuture.supplyAsync(() -> acquires.apply(names).apply(mine));
            awaitOneAt(gate);
            Lease held = theirs.lock(names.get(0)).tryAcquire().orElseThrow();
            Sql.on(keeper).run("SELECT pg_advisory_unlock(" + gate + ")");

            assertThat(asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
            held.check();
            assertThat(held.release()).isTrue();
        }
        sql().run("DROP FUNCTION " + clock);
    }

    private void awaitOneAt(int gate) {
        await("somebody comes to the gate")
                .until(() -> sql().finds("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = " + gate
                        + " AND NOT granted"));
    }
}
