package dev.dibs.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import reports.ReportApplication;
import reports.Reports;

/** The example, as two nodes, and its page. */
@Tag("flow")
class ReportsTest {

    private static final String URL = "jdbc:h2:mem:reports;DB_CLOSE_DELAY=-1";

    private static AnnotationConfigApplicationContext node() {
        AnnotationConfigApplicationContext node = new AnnotationConfigApplicationContext();
        node.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("reports.every", "PT0.05S")));
        node.register(ReportApplication.class);
        node.refresh();
        return node;
    }

    private static long count(String condition) throws Exception {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(URL);
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM report WHERE " + condition)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void eachReportIsWrittenByOneNode() throws Exception {
        System.setProperty("reports.url", URL);
        try (var one = node();
                var two = node()) {
            assertThat(List.of(one.getBean(Reports.class), two.getBean(Reports.class)))
                    .doesNotHaveDuplicates();
            await().until(() -> count("fence > 0") >= 10);
        } finally {
            System.clearProperty("reports.url");
        }
        long all = count("fence > 0");
        assertThat(count("number <= " + all)).as("no number is missing").isEqualTo(all);
        assertThat(count("number > 1 AND fence <= (SELECT max(fence) FROM report AS r WHERE r.number < report.number)"))
                .as("a later report under an earlier lease")
                .isZero();
    }

    @Test
    void thePageShowsTheExample() throws Exception {
        Path folder = Path.of("examples", "shedlock", "src", "main", "java", "reports");
        String source = Files.readString(folder.resolve("ReportApplication.java"))
                + Files.readString(folder.resolve("Reports.java"));
        List<String> blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs", "situations", "leaving-shedlock.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks)
                .hasSizeGreaterThan(1)
                .allSatisfy(
                        block -> assertThat(source.replaceAll("(?m)^ {4}", "")).contains(block));
    }
}
