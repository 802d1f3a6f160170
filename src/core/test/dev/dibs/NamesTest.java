package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.tokens.TokenStatus;
import java.time.Duration;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two names that differ are never one. */
@Tag("unit")
class NamesTest {

    private static JdbcDataSource h2(String settings) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:names" + System.nanoTime() + ";DB_CLOSE_DELAY=60" + settings);
        dataSource.setUser("sa");
        return dataSource;
    }

    @Test
    void aPrefixThatADatabaseWouldCutOffIsRefused() {
        DibsBuilder builder = Dibs.builder(h2(""));
        assertThatThrownBy(() -> builder.tablePrefix("p".repeat(51)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("50");
        builder.tablePrefix("p".repeat(50)).build().close();
    }

    @Test
    void namesAreExactInADatabaseThatIgnoresCase() {
        Duration hour = Duration.ofHours(1);
        try (Dibs dibs = Dibs.on(h2(";IGNORECASE=TRUE"))) {
            dibs.admin().createSchema();
            dibs.admin().checkSchema();
            Lease small = dibs.lock("a").tryAcquire().orElseThrow();
            assertThat(dibs.lock("A").tryAcquire()).isPresent();
            assertThat(dibs.lock("a").tryAcquire()).isEmpty();
            small.close();
            assertThat(dibs.semaphore("a", 1).tryAcquire()).isPresent();
            assertThat(dibs.semaphore("A", 1).tryAcquire()).isPresent();
            assertThat(dibs.readWriteLock("a").write().tryAcquire()).isPresent();
            assertThat(dibs.readWriteLock("A").write().tryAcquire()).isPresent();
            String token = dibs.tokens("reset").issue("p", hour);
            assertThat(dibs.tokens("RESET").consume(token).status()).isEqualTo(TokenStatus.UNKNOWN);
            assertThat(dibs.tokens("reset").consume(token).isOk()).isTrue();
            assertThat(dibs.admin().doctor()).extracting(Finding::subject).doesNotContain("names");
        }
    }
}
