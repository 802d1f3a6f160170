package dev.dibs.internal.sql.errors;

import static dev.dibs.internal.sql.errors.SqlFailure.Outcome.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.files.DialectFolder;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A proxy that has lost the server, or a service that moves the database, tells so over a connection that lives on. */
@Tag("unit")
class ProxyLossTest {

    @ParameterizedTest
    @CsvSource(textBlock = """
            mariadb,   HY000,  2002
            mariadb,   HY000,  2003
            mysql,     HY000,  2006
            mysql,     HY000,  2013
            galera,    HY000,  2055
            sqlserver, S0001, 40143
            sqlserver, S0001, 40197
            sqlserver, S0001, 40613
            """)
    void theOutcomeIsUnknown(String dialect, String state, int code) {
        SqlFailure failure = SqlErrors.load(DialectFolder.named(dialect))
                .sent("s", new SQLException("lost", state, code), Asked.STATEMENT, () -> true);
        assertThat(failure.outcome()).isEqualTo(UNKNOWN);
        assertThat(failure.isPartly()).isFalse();
    }
}
