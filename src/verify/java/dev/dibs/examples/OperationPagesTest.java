package dev.dibs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.Sql;
import dev.dibs.pages.Page;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/reference/alerts.md and backup.md tell operators. */
@Tag("flow")
class OperationPagesTest {

    private static final Page ALERTS = Page.of("docs", "reference", "alerts.md");
    private static final Page METRICS = Page.of("src", "web", "java", "dev", "dibs", "console", "Metrics.java");

    private static JdbcDataSource database(String name) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
        return dataSource;
    }

    @Test
    void theQueriesOfTheAlertsRun() throws Exception {
        JdbcDataSource dataSource = database("alerts");
        try (Dibs dibs = Dibs.on(dataSource)) {
            dibs.admin().createSchema();
            dibs.lock("report").acquire(Duration.ZERO);
            List<String> found = Pattern.compile(";\n")
                    .splitAsStream(ALERTS.blocks("sql").get(0).code())
                    .map(query -> texts(dataSource, query))
                    .flatMap(List::stream)
                    .toList();
            assertThat(found).containsExactly("report");
        }
    }

    private static List<String> texts(JdbcDataSource dataSource, String query) {
        try {
            return Sql.on(dataSource).texts(query);
        } catch (SQLException e) {
            throw new AssertionError(query, e);
        }
    }

    @Test
    void theRulesNameMetricsOfTheConsole() {
        List<String> metrics = names(METRICS.text(), "\"(dibs_\\w+)\"");
        List<String> used = names(ALERTS.blocks("yaml").get(0).code(), "(dibs_\\w+)");
        assertThat(used).hasSize(6).isSubsetOf(metrics);
    }

    private static List<String> names(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    @Test
    void fencesGrowAfterARestoreAndATokenIsGoodAgain(@TempDir Path folder) throws Exception {
        String dump = folder.resolve("dump.sql").toString();
        JdbcDataSource before = database("before-restore");
        String token;
        long last;
        try (Dibs dibs = Dibs.on(before)) {
            dibs.admin().createSchema();
            dibs.lock("report").run(Duration.ZERO, lease -> {});
            token = dibs.tokens("link").issue("ann", Duration.ofHours(1));
            Sql.on(before).run("SCRIPT TO '" + dump + "'");
            assertThat(dibs.tokens("link").consume(token).isOk()).isTrue();
            try (Lease lease = dibs.lock("report").acquire(Duration.ZERO)) {
                last = lease.fencingToken();
            }
        }
        JdbcDataSource after = database("after-restore");
        Sql.on(after).run("RUNSCRIPT FROM '" + dump + "'");
        try (Dibs dibs = Dibs.on(after);
                Lease lease = dibs.lock("report").acquire(Duration.ZERO)) {
            assertThat(lease.fencingToken()).isGreaterThan(last);
            assertThat(dibs.tokens("link").peek(token).isOk()).isTrue();
            Sql.on(after).run("DELETE FROM dibs_token");
            assertThat(dibs.tokens("link").peek(token).isOk()).isFalse();
        }
    }
}
