package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Dibs;
import dev.dibs.console.DibsConsole;
import jakarta.servlet.http.HttpServlet;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import javax.tools.ToolProvider;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application is compiled and run against each jar with its required dependencies only: optional ones may be absent. */
@Tag("unit")
class ModuleTest {

    private static final List<Path> CORE = List.of(homeOf(Dibs.class));

    /** A web application has the servlet API from its container. */
    private static final List<Path> WEB = List.of(homeOf(Dibs.class), homeOf(DibsConsole.class), servletApi());

    private static final String SHOP = """
            package shop;

            import dev.dibs.Dibs;
            import dev.dibs.Lease;
            import java.time.Duration;
            import javax.sql.DataSource;

            public final class Shop {
                public static String open(DataSource dataSource) {
                    try (Dibs dibs = Dibs.on(dataSource)) {
                        dibs.admin().createSchema();
                        try (Lease lease = dibs.lock("door").acquire(Duration.ofSeconds(5))) {
                            return lease.name() + " " + dibs.claims("books").getClass().getModule().getName()
                                    + " " + dibs.tokens("invitation").purpose();
                        }
                    }
                }
            }
            """;

    private static final String WEB_SHOP = """
            package shop;

            import dev.dibs.Dibs;
            import dev.dibs.console.DibsConsole;
            import dev.dibs.servlet.LockFilter;
            import javax.sql.DataSource;

            public final class Shop {
                public static String open(DataSource dataSource) {
                    try (Dibs dibs = Dibs.on(dataSource)) {
                        LockFilter filter = LockFilter.builder(request -> request.getRemoteUser()).build();
                        return new DibsConsole(dibs).getClass().getSimpleName() + " "
                                + filter.getClass().getModule().getName();
                    }
                }
            }
            """;

    @Test
    void aModuleThatUsesLocks(@TempDir Path folder) throws Exception {
        assertThat(open(asModule(folder, "dev.dibs", SHOP, CORE))).isEqualTo("door dev.dibs invitation");
    }

    @Test
    void anApplicationOnTheClassPathThatUsesLocks(@TempDir Path folder) throws Exception {
        assertThat(open(onClassPath(folder, SHOP, CORE))).isEqualTo("door null invitation");
    }

    @Test
    void aModuleThatIsAWebApplication(@TempDir Path folder) throws Exception {
        assertThat(open(asModule(folder, "dev.dibs.web; requires jakarta.servlet", WEB_SHOP, WEB)))
                .isEqualTo("DibsConsole dev.dibs.web");
    }

    @Test
    void aWebApplicationOnTheClassPath(@TempDir Path folder) throws Exception {
        assertThat(open(onClassPath(folder, WEB_SHOP, WEB))).isEqualTo("DibsConsole null");
    }

    /** Runs it on an empty database. */
    static Object open(Class<?> shop) throws ReflectiveOperationException {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return shop.getMethod("open", DataSource.class).invoke(null, dataSource);
    }

    static Class<?> asModule(Path folder, String needed, String source, List<Path> jars) throws Exception {
        assumeTrue(
                ModuleFinder.of(jars.get(0)).find("dev.dibs").isPresent(),
                "module-info is made by the build's compiler");
        String info = "module shop { requires " + needed + "; exports shop; }";
        Path classes = compile(
                folder,
                "--module-path",
                jars,
                write(folder.resolve("module-info.java"), info),
                write(folder.resolve("Shop.java"), source));
        ModuleLayer boot = ModuleLayer.boot();
        Path[] path = Stream.concat(jars.stream(), Stream.of(classes)).toArray(Path[]::new);
        Configuration configuration =
                boot.configuration().resolve(ModuleFinder.of(path), ModuleFinder.of(), Set.of("shop"));
        return boot.defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader())
                .findLoader("shop")
                .loadClass("shop.Shop");
    }

    static Class<?> onClassPath(Path folder, String source, List<Path> jars) throws Exception {
        Path classes = compile(folder, "-classpath", jars, write(folder.resolve("Shop.java"), source));
        List<URL> urls = new ArrayList<>();
        for (Path entry : jars) {
            urls.add(entry.toUri().toURL());
        }
        urls.add(classes.toUri().toURL());
        ClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        return loader.loadClass("shop.Shop");
    }

    private static Path compile(Path folder, String option, List<Path> jars, String... sources) {
        Path classes = folder.resolve("classes");
        ByteArrayOutputStream complaints = new ByteArrayOutputStream();
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes.toString(), option));
        arguments.add(jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        arguments.addAll(Arrays.asList(sources));
        int exitCode = ToolProvider.getSystemJavaCompiler()
                .run(null, complaints, complaints, arguments.toArray(String[]::new));
        assertThat(exitCode).as(complaints.toString(StandardCharsets.UTF_8)).isZero();
        return classes;
    }

    /** The API alone, which Tomcat has in it, too. */
    private static Path servletApi() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.contains("jakarta.servlet-api"))
                .map(Path::of)
                .findFirst()
                .orElseGet(() -> homeOf(HttpServlet.class));
    }

    private static Path homeOf(Class<?> type) {
        return Path.of(URI.create(
                type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    private static String write(Path file, String text) throws IOException {
        return Files.writeString(file, text).toString();
    }
}
