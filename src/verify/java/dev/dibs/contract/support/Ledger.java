package dev.dibs.contract.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/**
 * A table that only one process may write at a time. An entry's number is one more than that of the last entry that its writer has read.
 * Two writers at a time would write the same number; a late one a lower fence than the one before.
 */
public record Ledger(String table) {

    public void make(DataSource dataSource) throws SQLException {
        Sql.on(dataSource).run("CREATE TABLE " + table + " (num bigint NOT NULL, fence bigint NOT NULL)");
    }

    public void drop(DataSource dataSource) throws SQLException {
        Sql.on(dataSource).run("DROP TABLE " + table);
    }

    public void write(DataSource dataSource, long fence) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            write(connection, fence);
        }
    }

    public void write(Connection connection, long fence) throws SQLException {
        long last = Sql.on(connection).number("SELECT coalesce(max(num), 0) FROM " + table);
        Sql.on(connection).change("INSERT INTO " + table + " (num, fence) VALUES (?, ?)", last + 1, fence);
    }

    /** The number of entries, or nearly so during a write. */
    public long entries(DataSource dataSource) throws SQLException {
        return Sql.on(dataSource).number("SELECT coalesce(max(num), 0) FROM " + table);
    }

    /** Every number once, with growing fences. */
    public void check(DataSource dataSource, int entries) throws SQLException {
        assertThat(checkOrder(dataSource)).isEqualTo(entries);
    }

    /** The same for an unknown number of entries, which it returns. */
    public long checkOrder(DataSource dataSource) throws SQLException {
        List<Long> fences = fences(dataSource);
        assertThat(fences).as("fences grow").isSorted().doesNotHaveDuplicates();
        return fences.size();
    }

    /** The fences in the order of the entries, whose numbers are all there, each once. */
    public List<Long> fences(DataSource dataSource) throws SQLException {
        List<Long> fences = Sql.on(dataSource).numbers("SELECT fence FROM " + table + " ORDER BY num, fence");
        assertThat(Sql.on(dataSource).numbers("SELECT num FROM " + table + " ORDER BY num"))
                .as("two wrote at a time")
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, fences.size()).boxed().toList());
        return fences;
    }
}
