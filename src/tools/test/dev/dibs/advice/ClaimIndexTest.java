package dev.dibs.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.catalog.IndexInfo;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class ClaimIndexTest {

    private static final List<String> COLUMNS = List.of("id", "state", "done", "due", "prio", "text", "Order", "t");

    /** The columns that the index has, and its filter, on each of three databases. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "done IS NULL | (done, id) | (id) WHERE done IS NULL | (id) WHERE done IS NULL",
                "t.done IS NULL | (done, id) | (done, id) | (done, id)",
                "(done IS NULL AND (state = 'new')) | (done, state, id) | (id) WHERE done IS NULL AND state = 'new'"
                        + " | (id) WHERE done IS NULL AND state = 'new'",
                "state IN ('a', 'b') | (state, id) | (id) WHERE state IN ('a', 'b') | (id) WHERE state IN ('a', 'b')",
                "state NOT IN ('a') | (state, id) | (id) WHERE (state NOT IN ('a')) | (state, id)",
                "done IS NULL AND due <= now() | (done, id, due) | (id) WHERE done IS NULL | (id) WHERE done IS NULL",
                "due <= CURRENT_TIMESTAMP AND done IS NULL | (done, id, due) | (id) WHERE done IS NULL"
                        + " | (id) WHERE done IS NULL",
                "prio BETWEEN 1 AND 5 AND done IS NULL | (done, id, prio)"
                        + " | (id) WHERE (prio BETWEEN 1 AND 5) AND done IS NULL | (id) WHERE done IS NULL",
                "done IS NULL OR prio > 3 AND due < 5 | (done, prio, due, id)"
                        + " | (id) WHERE (done IS NULL OR prio > 3 AND due < 5) | (done, prio, due, id)",
                "CASE WHEN prio > 1 AND due > 2 THEN done IS NULL END | (prio, due, done, id)"
                        + " | (id) WHERE (CASE WHEN prio > 1 AND due > 2 THEN done IS NULL END) | (prio, due, done, id)",
                "jobs.\"Order\" = -5 | (\"Order\", id) | (id) WHERE jobs.\"Order\" = -5 | (id) WHERE jobs.\"Order\" = -5",
                "state = 'done; prio' | (state, id) | (id) WHERE state = 'done; prio' | (id) WHERE state = 'done; prio'",
                "state = 'it''s prio' | (state, id) | (id) WHERE state = 'it''s prio' | (id) WHERE state = 'it''s prio'",
                "text('x') = state | (state, id) | (state, id) | (state, id)",
                "STATE = N'new' | (STATE, id) | (id) WHERE STATE = N'new' | (id) WHERE STATE = N'new'",
            })
    void namesTheColumns(String where, String h2, String postgresql, String sqlServer) {
        assertThat(ddl("h2", where, "id")).isEqualTo("CREATE INDEX jobs_open ON jobs " + h2);
        assertThat(ddl("postgresql", where, "id")).isEqualTo("CREATE INDEX jobs_open ON jobs " + postgresql);
        assertThat(ddl("sqlserver", where, "id")).isEqualTo("CREATE INDEX jobs_open ON jobs " + sqlServer);
    }

    @Test
    void goesByTheOrder() {
        assertThat(ddl("mariadb", "due < 5 AND done IS NULL", "prio DESC, due, jobs.id"))
                .isEqualTo("CREATE INDEX jobs_open ON jobs (done, prio DESC, due, id)");
        assertThat(ddl("h2", "done IS NULL", "done, due NULLS LAST"))
                .as("a column of one value needs no order")
                .isEqualTo("CREATE INDEX jobs_open ON jobs (done, due NULLS LAST)");
        assertThat(Stream.of("lower(text)", "id + 1", "id COLLATE x", "no_column", "id,"))
                .allMatch(order -> ClaimOrder.of(order, columns()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "done,id|",
                "done,id,due|",
                "done,due,id|",
                "id|(done IS NULL)",
                "id,due|([done] IS NULL)",
                "id|((done IS NULL) AND ((due)::text < '7'::text))",
                "due,id|(done IS NULL)",
                "-done,-id|"
            })
    void fits(String index) {
        assertThat(index("done IS NULL AND due < '7'", "id").fits(there(index))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id|",
                "id,done|",
                "done|",
                "due,id|",
                "done,state,id|",
                "done,prio,id|",
                "id|(state IS NULL)",
                "id|(done IS NULL AND state = 'x')",
                "id|(1 = 1)",
                "prio,id|(done IS NULL)",
                "done,id|(t IS NULL)",
                "|(done IS NULL)"
            })
    void doesNotFit(String index) {
        assertThat(index("done IS NULL AND due < '7'", "id").fits(there(index))).isFalse();
    }

    @Test
    void canBeReadFromEitherEnd() {
        ClaimIndex index = index("done IS NULL", "prio DESC, id");
        assertThat(index.fits(there("done,-prio,id|"))).isTrue();
        assertThat(index.fits(there("done,prio,-id|"))).isTrue();
        assertThat(index.fits(there("done,prio,id|"))).isFalse();
    }

    /** Columns with a minus where they descend, a bar, the filter. */
    private static IndexInfo there(String text) {
        int bar = text.indexOf('|');
        List<IndexInfo.Column> columns = Stream.of(text.substring(0, bar).split(","))
                .map(name -> new IndexInfo.Column(name.replace("-", ""), name.startsWith("-")))
                .toList();
        String filter = text.substring(bar + 1);
        return new IndexInfo("x", false, columns, filter.isEmpty() ? null : filter);
    }

    private static String ddl(String dialect, String where, String order) {
        return index(dialect, where, order).ddl("jobs", Set.of());
    }

    private static ClaimIndex index(String where, String order) {
        return index("h2", where, order);
    }

    private static ClaimIndex index(String dialect, String where, String order) {
        ClaimCondition condition = ClaimCondition.of(where, columns());
        return new ClaimIndex(
                Statements.load(DialectFolder.named(dialect), "dibs_"),
                columns(),
                condition,
                ClaimOrder.of(order, columns()).orElseThrow(),
                condition.columns().keySet());
    }

    private static ClaimColumns columns() {
        return new ClaimColumns(COLUMNS, "\"");
    }
}
