package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Errors whose message alone misleads. */
@Tag("unit")
class RemedyTest {

    private static JdbcDataSource h2(String url) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url);
        dataSource.setUser("sa");
        return dataSource;
    }

    @Test
    void aDatabaseInMemoryThatEndedWithItsLastConnectionIsNamed() {
        try (Dibs dibs = Dibs.on(h2("jdbc:h2:mem:gone"))) {
            dibs.admin().createSchema();
            assertThatThrownBy(() -> dibs.lock("x").acquire(Duration.ZERO))
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("ends with its last connection")
                    .hasMessageContaining(";DB_CLOSE_DELAY=-1")
                    .satisfies(e -> assertThat(e.getMessage()).containsOnlyOnce("not found"));
        }
    }

    @Test
    void aSchemaThatDoesNotExistIsToBeCreated() {
        try (Dibs dibs = Dibs.builder(h2("jdbc:h2:mem:schemas;DB_CLOSE_DELAY=-1"))
                .schema("nosuch")
                .build()) {
            assertThatThrownBy(() -> dibs.admin().createSchema()).hasMessageContaining("CREATE SCHEMA");
        }
    }

    @Test
    void theDialectOfAStatementThatIsRefusedIsNamed() {
        try (Dibs dibs = Dibs.builder(h2("jdbc:h2:mem:dialects;DB_CLOSE_DELAY=-1"))
                .dialect(Dialect.named("mysql"))
                .build()) {
            assertThatThrownBy(() -> dibs.lock("x").acquire(Duration.ZERO)).hasMessageContaining("mysql");
        }
    }
}
