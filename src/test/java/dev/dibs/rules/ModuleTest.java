package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import javax.sql.DataSource;
import javax.tools.ToolProvider;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that is a module needs nothing but this one: what is optional may be absent when it is compiled, too. */
@Tag("unit")
class ModuleTest {

    private static final Path LIBRARY = Path.of("target", "classes");

    private static final String INFO = """
            module shop {
                requires dev.dibs;
                exports shop;
            }
            """;

    private static final String SHOP = """
            package shop;

            import dev.dibs.Dibs;
            import dev.dibs.Lease;
            import java.time.Duration;
            import javax.sql.DataSource;

            public final class Shop {
                public static String open(DataSource dataSource) {
                    try (Dibs dibs = Dibs.on(dataSource)) {
                        dibs.createSchema();
                        try (Lease lease = dibs.lock("door").acquire(Duration.ofSeconds(5))) {
                            return lease.name() + " " + dibs.claims("books").getClass().getModule().getName()
                                    + " " + dibs.tokens("invitation").purpose();
                        }
                    }
                }
            }
            """;

    @Test
    void aModuleIsCompiledAndRunAgainstTheLibraryAlone(@TempDir Path folder) throws Exception {
        assumeTrue(Files.exists(LIBRARY.resolve("module-info.class")), "made by the compiler of the build");
        Path classes = folder.resolve("classes");
        ByteArrayOutputStream complaints = new ByteArrayOutputStream();
        int exitCode = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        complaints,
                        complaints,
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "--module-path",
                        LIBRARY.toString(),
                        write(folder.resolve("module-info.java"), INFO),
                        write(folder.resolve("Shop.java"), SHOP));
        assertThat(exitCode).as(complaints.toString(StandardCharsets.UTF_8)).isZero();

        ModuleLayer boot = ModuleLayer.boot();
        Configuration configuration =
                boot.configuration().resolve(ModuleFinder.of(LIBRARY, classes), ModuleFinder.of(), Set.of("shop"));
        Class<?> shop = boot.defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader())
                .findLoader("shop")
                .loadClass("shop.Shop");
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:module;DB_CLOSE_DELAY=-1");
        assertThat(shop.getMethod("open", DataSource.class).invoke(null, dataSource))
                .isEqualTo("door dev.dibs invitation");
    }

    private static String write(Path file, String text) throws IOException {
        return Files.writeString(file, text).toString();
    }
}
