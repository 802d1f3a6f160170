package dev.dibs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.DriverDataSource;
import dev.dibs.demo.Artifacts.Directory;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A demo that can not fail proves nothing. */
class PromisesTest {
    private static final String PREFIX = "promises_";

    private final Store store =
            new Store(new DriverDataSource("jdbc:h2:mem:promises;DB_CLOSE_DELAY=-1", "sa", ""), new DemoSql(PREFIX));
    private final DemoTables tables = new DemoTables(store, PREFIX);

    @BeforeEach
    void aRunAsItShouldBe() throws SQLException {
        tables.create();
        tables.fill(List.of(new Directory("a", 1, 10), new Directory("b", 1, 10)));
        acquired(1, "worker 1", 100, 1_000, null);
        acquired(1, "worker 2", 200, 4_000, 100L);
        store.update("add_fault", "paused", "worker 1", 1, 100L, 2_000L, 3_900L);
        store.update("add_refusal", 1, "worker 1", 100L, 4_500L, "lost");
        committed(1, "worker 2", 200, 5_000);
        acquired(2, "worker 3", 300, 1_000, null);
        committed(2, "worker 3", 300, 1_100);
    }

    @AfterEach
    void drop() throws SQLException {
        tables.drop();
    }

    private void acquired(int directory, String worker, long fence, long at, Long fromFence) throws SQLException {
        store.update("add_acquisition", directory, worker, fence, at, fromFence == null ? null : "x", fromFence, null);
    }

    private void committed(int directory, String worker, long fence, long at) throws SQLException {
        store.update("add_result", directory, worker, fence, 1L, 10L, 1L, 0L, at);
    }

    private List<String> broken() throws SQLException {
        return Promises.broken(store, 1);
    }

    @Test
    void allKept() throws SQLException {
        assertThat(broken()).isEmpty();
    }

    @Test
    void committedTwice() throws SQLException {
        committed(2, "worker 1", 300, 1_200);
        assertThat(broken()).containsExactly("committed more than once: b");
    }

    @Test
    void neverCommitted() throws SQLException {
        tables.drop();
        tables.create();
        tables.fill(List.of(new Directory("c", 1, 1)));
        assertThat(broken()).contains("never committed: c").hasSize(2);
    }

    @Test
    void whatWasNotHandedOutIsNotPromised() throws SQLException {
        store.update("add_directory", 1_000, "far", 1L);
        assertThat(broken()).containsExactly("never committed: far");
        assertThat(tables.leaveOutTheRest()).isEqualTo(1);
        assertThat(broken()).isEmpty();
    }

    @Test
    void aFenceThatDoesNotGrow() throws SQLException {
        acquired(2, "worker 1", 300, 2_000, null);
        assertThat(broken()).containsExactly("a later lease had a fence that was not greater: b");
    }

    @Test
    void takenTooEarly() throws SQLException {
        store.update("add_fault", "killed", "worker 3", 2, 300L, 2_000L, 4_000L);
        acquired(2, "worker 1", 400, 3_000, 300L);
        assertThat(broken()).contains("taken over while the holder was certain of its lease: b");
    }

    @Test
    void notTakenOver() throws SQLException {
        store.update("add_fault", "killed", "worker 3", 2, 299L, 2_000L, 500L);
        assertThat(broken()).containsExactly("left behind by a killed or paused worker, and not taken over: b");
    }

    @Test
    void aLateWrite() throws SQLException {
        acquired(2, "worker 1", 400, 1_050, 300L);
        assertThat(broken()).containsExactly("a write got in although another worker had taken over: b");
    }

    @Test
    void theLateWriteOfThePausedOne() throws SQLException {
        store.update("add_fault", "paused", "worker 3", 2, 300L, 900L, 900L);
        acquired(2, "worker 1", 400, 2_000, 300L);
        assertThat(broken())
                .containsExactly(
                        "a struck worker committed under the lease that it had lost: b",
                        "the late write of the paused worker was not refused: b");
    }

    @Test
    void nobodyWasStruck() throws SQLException {
        assertThat(Promises.broken(store, 2)).singleElement().asString().startsWith("only 1 of 2 faults");
    }
}
