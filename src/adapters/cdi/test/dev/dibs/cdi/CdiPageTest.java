package dev.dibs.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.FullRun;
import dev.dibs.pages.Page;
import dev.dibs.process.ChildJvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of docs/reference/cdi.md, pasted into an application. */
@Tag("flow")
@FullRun
class CdiPageTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String CLASS_PATH = System.getProperty("java.class.path");

    /** The application that the reader has, and the imports that an editor adds. */
    private static final String APPLICATION = """
            package shop;

            import static java.time.Duration.ofSeconds;

            import dev.dibs.Dibs;
            import dev.dibs.Lease;
            import dev.dibs.cdi.DibsDataSource;
            import dev.dibs.cdi.LockKey;
            import dev.dibs.cdi.Locked;
            import dev.dibs.cdi.OncePer;
            import jakarta.enterprise.context.ApplicationScoped;
            import jakarta.enterprise.inject.Produces;
            import jakarta.enterprise.inject.se.SeContainer;
            import jakarta.enterprise.inject.se.SeContainerInitializer;
            import jakarta.inject.Inject;
            import jakarta.inject.Named;
            import jakarta.transaction.Transactional;
            import jakarta.transaction.UserTransaction;
            import java.sql.Connection;
            import java.sql.PreparedStatement;
            import java.sql.ResultSet;
            import java.sql.SQLException;
            import javax.sql.DataSource;

            public class Shop {
                public static void main(String[] arguments) throws Exception {
                    try (SeContainer shop = SeContainerInitializer.newInstance()
                            .addBeanClasses(Class.forName("dev.dibs.cdi.Pool"))
                            .initialize()) {
                        DataSource dataSource = shop.select(DataSource.class).get();
                        run(dataSource, "CREATE TABLE orders (id int, shipped int)");
                        run(dataSource, "CREATE TABLE best_seller (rebuilt int)");
                        run(dataSource, "INSERT INTO orders VALUES (42, 0)");
                        run(dataSource, "INSERT INTO best_seller VALUES (0)");
                        shop.select(Orders.class).get().ship(42);
                        shop.select(BestSellers.class).get().rebuild();
                        shop.select(BestSellers.class).get().rebuild();
                        print(dataSource, "SELECT shipped + 10 * rebuilt FROM orders, best_seller");
                        print(dataSource, "SELECT name FROM dibs_lock");
                    }
                }

                static void run(DataSource dataSource, String sql) throws SQLException {
                    try (Connection connection = dataSource.getConnection()) {
                        connection.createStatement().execute(sql);
                    }
                }

                static void print(DataSource dataSource, String sql) throws SQLException {
                    try (Connection connection = dataSource.getConnection();
                            ResultSet rows = connection.createStatement().executeQuery(sql)) {
                        while (rows.next()) {
                            System.out.println(rows.getString(1));
                        }
                    }
                }
            }

            """;

    @Test
    void itsFirstLinesWorkWhenPasted(@TempDir Path folder) throws Exception {
        Page page = Page.of("docs", "reference", "cdi.md");
        Path metaInf = Files.createDirectories(folder.resolve("META-INF"));
        Files.writeString(metaInf.resolve("beans.xml"), "<beans version=\"4.0\" bean-discovery-mode=\"annotated\"/>");
        Files.writeString(metaInf.resolve("microprofile-config.properties"), block(page, "properties", 0));
        Path source = Files.writeString(
                folder.resolve("Shop.java"),
                APPLICATION
                        + block(page, "java", 0)
                        + "class Other { String push;\n" + block(page, "java", 1) + block(page, "java", 3) + "}\n"
                        + "@ApplicationScoped class BestSellers { @Inject DataSource dataSource;\n"
                        + block(page, "java", 2) + "}\n");
        int exitCode = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", folder.toString(), "-cp", CLASS_PATH, source.toString());
        assertThat(exitCode).isZero();
        try (ChildJvm shop = ChildJvm.startOn(
                folder + File.pathSeparator + CLASS_PATH,
                List.of("-Ddb.url=jdbc:h2:mem:shop", "-Ddb.user=sa"),
                Launcher.class,
                "shop.Shop")) {
            assertThat(shop.exitCode(PATIENCE))
                    .as(String.join("\n", shop.lines()))
                    .isZero();
            assertThat(shop.lines()).contains("11", "order:42");
        }
    }

    /** The block of this language with this number, from zero on. */
    private static String block(Page page, String language, int number) {
        return page.blocks(language).get(number).code();
    }

    /** Calls the main method of the class that its argument names. */
    static final class Launcher {

        public static void main(String[] arguments) throws ReflectiveOperationException {
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        }
    }
}
