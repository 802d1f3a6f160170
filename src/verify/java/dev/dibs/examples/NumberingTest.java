package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The example of docs/reference/locks.md. */
@Tag("flow")
class NumberingTest {

    @Test
    void numbersFollowEachOther() throws Exception {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:numbering;DB_CLOSE_DELAY=-1");
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                Dibs dibs = Dibs.on(dataSource)) {
            dibs.admin().createSchema();
            statement.execute("CREATE TABLE numbering (last_number int)");
            statement.execute("INSERT INTO numbering VALUES (0)");
            Numbering numbering = new Numbering(dibs, dataSource);
            assertThat(numbering.tryNext()).hasValue(1);
            assertThat(numbering.next(Duration.ZERO)).isEqualTo(2);
            try (Lease held = dibs.lock("invoices").acquire(Duration.ZERO)) {
                assertThat(numbering.tryNext()).isEmpty();
                held.check();
            }
            assertThat(numbering.tryNext()).hasValue(3);
            statement.execute("SHUTDOWN");
        }
    }
}
