package dev.dibs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A check that cannot fail proves nothing. */
@Tag("unit")
class PromisesTest {
    private static final String PREFIX = "promises_";

    private final Store store =
            new Store(new DriverDataSource("jdbc:h2:mem:promises;DB_CLOSE_DELAY=-1", "sa", ""), new DemoSql(PREFIX));
    private final DemoTables tables = new DemoTables(store, PREFIX);

    /** Row 1 is the planted one; 2 was taken over from a paused worker. */
    @BeforeEach
    void aRunAsItShouldBe() throws SQLException {
        tables.create();
        tables.fill(List.of("a", "b", "c"), "planted");
        sql("UPDATE promises_file SET claim_token = 'dibs-dead' WHERE id = 1");
        sql("UPDATE promises_file SET done = 1 WHERE id > 1");
        done(2, "worker 2", 5_000);
        done(3, "worker 3", 1_100);
        done(4, "worker 3", 9_000);
        store.update("add_fault", "paused", "worker 1", 2L, 100L, 2_000L);
        store.update("tried_late", 2L);
        store.update("add_break", 6_000L, 8_000L, "a look");
        turn("worker 1", 100, 1_000, null);
        turn("worker 2", 200, 4_000, 100L);
        report("worker 1", 100, 1_900);
        report("worker 2", 200, 4_100);
        store.update("add_refusal", "worker 1", 100L, 4_500L, "lost");
    }

    @AfterEach
    void drop() throws SQLException {
        tables.drop();
    }

    private void sql(String text) throws SQLException {
        Sql.on(store.dataSource()).run(text);
    }

    private void done(long file, String worker, long at) throws SQLException {
        store.update("add_result", file, worker, "SOUND", "", 10L, 1L, 0, "", at);
    }

    private void turn(String worker, long fence, long at, Long fromFence) throws SQLException {
        store.update("add_turn", worker, fence, at, fromFence);
    }

    private void report(String worker, long fence, long at) throws SQLException {
        store.update("add_report", worker, fence, 1L, 10L, at);
    }

    private List<String> broken() throws SQLException {
        return Promises.broken(store, 1);
    }

    @Test
    void allKept() throws SQLException {
        assertThat(store.query("find_path", row -> row.getString(1), 1L)).containsExactly("planted");
        assertThat(broken()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE promises_file SET done = 0 WHERE id = 3 | has a result but is not marked as done: b",
                "UPDATE promises_result SET worker = 'worker 1' WHERE file_id = 2 | a killed or paused worker did a row that another one had taken over: a",
                "UPDATE promises_fault SET tried_late = 0 | the paused worker did not try its late write: a",
                "UPDATE promises_result SET written_at = 7000 WHERE file_id = 4 | done while the run was paused: c",
                "DELETE FROM promises_refusal | the late report of the paused worker was not refused: worker 1"
            })
    void aStatementThatBreaksAPromise(String statement, String broken) throws SQLException {
        sql(statement);
        assertThat(broken()).containsExactly(broken);
    }

    @Test
    void doneTwice() throws SQLException {
        done(3, "worker 1", 1_200);
        assertThat(broken()).containsExactly("done more than once: b");
    }

    @Test
    void neverDone() throws SQLException {
        sql("DELETE FROM promises_result WHERE file_id = 4");
        assertThat(broken()).containsExactly("never done: c");
        sql("UPDATE promises_file SET done = 0 WHERE id = 4");
        assertThat(broken()).containsExactly("never done: c");
    }

    @Test
    void omittedFilesAreNotPromised() throws SQLException {
        sql("DELETE FROM promises_result WHERE file_id = 4");
        sql("UPDATE promises_file SET done = 0 WHERE id = 4");
        store.update("leave_out");
        assertThat(broken()).isEmpty();
    }

    @Test
    void aResultOfTheBrokenJar() throws SQLException {
        done(1, "worker 2", 1_000);
        assertThat(broken()).containsExactly("has a result but is not marked as done: planted");
        sql("UPDATE promises_file SET done = 1, claim_token = NULL WHERE id = 1");
        assertThat(broken()).containsExactly("the broken jar was not given up as dead: planted");
    }

    @Test
    void aFenceThatDoesNotGrow() throws SQLException {
        turn("worker 3", 200, 9_000, null);
        assertThat(broken()).containsExactly("a later lease had a fence that was not greater: worker 3");
    }

    @Test
    void aLateReport() throws SQLException {
        report("worker 1", 100, 4_400);
        assertThat(broken()).containsExactly("a report got in although another worker had taken over: worker 1");
    }

    @Test
    void notAllHappened() throws SQLException {
        assertThat(Promises.broken(store, 2)).singleElement().asString().startsWith("only 1 of 2 faults");
        sql("DELETE FROM promises_break");
        assertThat(broken()).containsExactly("the run was not paused, so that not all was shown");
    }
}
