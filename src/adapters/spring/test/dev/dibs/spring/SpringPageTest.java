package dev.dibs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The beginning of docs/reference/spring.md, pasted into an application. */
@Tag("flow")
@FullRun
class SpringPageTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String CLASS_PATH = System.getProperty("java.class.path");

    /** The application that the reader has, and the imports that an editor adds. */
    private static final String APPLICATION = """
            package shop;

            import dev.dibs.spring.Locked;
            import dev.dibs.spring.OncePer;
            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.SpringBootApplication;
            import org.springframework.jdbc.core.JdbcTemplate;
            import org.springframework.scheduling.annotation.Scheduled;
            import org.springframework.stereotype.Service;
            import org.springframework.transaction.annotation.Transactional;

            @SpringBootApplication
            public class Shop {
                public static void main(String[] arguments) {
                    try (var shop = SpringApplication.run(Shop.class, arguments)) {
                        var jdbc = shop.getBean(JdbcTemplate.class);
                        jdbc.execute("CREATE TABLE orders (id int, shipped int)");
                        jdbc.execute("CREATE TABLE best_seller (rebuilt int)");
                        jdbc.execute("INSERT INTO orders VALUES (42, 0)");
                        jdbc.execute("INSERT INTO best_seller VALUES (0)");
                        shop.getBean(Orders.class).ship(42);
                        shop.getBean(BestSellers.class).rebuild();
                        shop.getBean(BestSellers.class).rebuild();
                        System.out.println(jdbc.queryForList("SELECT shipped, rebuilt FROM orders, best_seller"));
                        System.out.println(jdbc.queryForList("SELECT name FROM dibs_lock", String.class));
                    }
                }
            }

            """;

    private static final String BEST_SELLERS = """

            @Service
            class BestSellers {

                private final JdbcTemplate jdbc;

                BestSellers(JdbcTemplate jdbc) {
                    this.jdbc = jdbc;
                }

            """;

    @Test
    void itsFirstLinesWorkWhenPasted(@TempDir Path folder) throws Exception {
        String page = Files.readString(Path.of("docs", "reference", "spring.md"));
        Files.writeString(folder.resolve("application.properties"), block(page, "properties", 0));
        Path source = Files.writeString(
                folder.resolve("Shop.java"),
                APPLICATION + block(page, "java", 0) + BEST_SELLERS + block(page, "java", 1) + "}\n");
        compile(folder, source);
        try (ChildJvm shop = run(folder)) {
            assertThat(shop.exitCode(PATIENCE))
                    .as(String.join("\n", shop.lines()))
                    .isZero();
            assertThat(shop.lines()).contains("[{SHIPPED=1, REBUILT=1}]").anyMatch(line -> line.contains("order:42"));
        }
    }

    /** docs/situations/spring.md is a whole application. */
    @Test
    void theSituationWorksWhenPasted(@TempDir Path folder) throws Exception {
        String page = Files.readString(Path.of("docs", "situations", "spring.md"));
        Files.writeString(folder.resolve("application.properties"), block(page, "properties", 0));
        compile(folder, Files.writeString(folder.resolve("Shop.java"), block(page, "java", 0)));
        try (ChildJvm shop = run(folder)) {
            shop.awaitLine((block(page, "text", 0).strip())::equals, PATIENCE);
        }
    }

    private static void compile(Path folder, Path source) {
        int exitCode = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-parameters",
                        "-d",
                        folder.toString(),
                        "-cp",
                        CLASS_PATH,
                        source.toString());
        assertThat(exitCode).isZero();
    }

    private static ChildJvm run(Path classes) {
        String[] arguments = List.of(
                        "shop.Shop",
                        "--spring.datasource.url=jdbc:h2:mem:shop",
                        "--spring.flyway.enabled=false",
                        "--spring.liquibase.enabled=false",
                        "--spring.autoconfigure.exclude=" + Boot.JPA)
                .toArray(String[]::new);
        return ChildJvm.startOn(classes + File.pathSeparator + CLASS_PATH, Launcher.class, arguments);
    }

    /** The block of this kind with this number, from zero on. */
    private static String block(String page, String kind, int number) {
        return Pattern.compile("```" + kind + "\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .skip(number)
                .map((MatchResult block) -> block.group(1))
                .findFirst()
                .orElseThrow();
    }

    /** Calls the main method of the class that its first argument names. */
    static final class Launcher {

        public static void main(String[] arguments) throws ReflectiveOperationException {
            String[] others = List.of(arguments).subList(1, arguments.length).toArray(String[]::new);
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) others);
        }
    }
}
