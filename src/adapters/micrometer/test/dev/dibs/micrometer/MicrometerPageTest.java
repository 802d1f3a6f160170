package dev.dibs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import javax.tools.ToolProvider;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The beginning of docs/reference/micrometer.md, pasted into an application. */
@Tag("flow")
@FullRun
class MicrometerPageTest {

    /** The application that the reader has, and the imports that an editor adds. */
    private static final String APPLICATION = """
            package shop;

            import dev.dibs.Dibs;
            import dev.dibs.micrometer.DibsMetrics;
            import dev.dibs.micrometer.LockMetrics;
            import io.micrometer.core.instrument.MeterRegistry;
            import java.time.Duration;
            import javax.sql.DataSource;

            public final class Shop {
                static void ship(int order) {}

                public static void run(DataSource dataSource, MeterRegistry registry) {
            %s
                    dibs.close();
                }
            }
            """;

    @Test
    void itsFirstLinesWorkWhenPasted(@TempDir Path folder) throws Exception {
        String page = Files.readString(Path.of("docs", "reference", "micrometer.md"));
        String lines = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        Path source = Files.writeString(folder.resolve("Shop.java"), APPLICATION.formatted(lines));
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-proc:none",
                                "-d",
                                folder.toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                source.toString()))
                .isZero();
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:micrometer-page;DB_CLOSE_DELAY=-1");
        MeterRegistry registry = new SimpleMeterRegistry();
        try (URLClassLoader pasted =
                new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            pasted.loadClass("shop.Shop")
                    .getMethod("run", DataSource.class, MeterRegistry.class)
                    .invoke(null, database, registry);
        }
        assertThat(registry.get("dibs.acquire")
                        .tag("lock", "order")
                        .tag("outcome", "acquired")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("dibs.leases.released").functionCounter().count())
                .isEqualTo(1);
    }
}
