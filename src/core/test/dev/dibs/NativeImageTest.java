package dev.dibs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.pages.Page;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A native image has only the resources, and the classes named by texts, that the jar's metadata lists. */
@Tag("unit")
class NativeImageTest {

    private static final Path CORE = Path.of("src/core");
    private static final Path CLASSES = CORE.resolve("target/classes");
    private static final Path METADATA =
            CORE.resolve("resources/META-INF/native-image/dev.dibs/dibs/reachability-metadata.json");
    private static final Pattern GLOB = Pattern.compile("\"glob\": \"([^\"]+)\"");
    private static final Pattern CLASS_NAME = Pattern.compile("\"((?:\\w+\\.)+[A-Z]\\w*)\"");

    /** Uses each capability; runs in a loader of its own. */
    public static final class Application implements Callable<String> {
        @Override
        public String call() throws Exception {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:mem:native;DB_CLOSE_DELAY=-1");
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE mail (id int PRIMARY KEY)");
            }
            for (String name : Dialect.names()) {
                Dialect.named(name).ddl();
            }
            try (Dibs dibs = Dibs.on(database)) {
                dibs.admin().createSchema();
                try (Lease lease = dibs.lock("a").fair().acquire(Duration.ofSeconds(30))) {
                    lease.inTransaction(database, tx -> tx.createStatement().execute("SELECT 1"));
                }
                dibs.readWriteLock("b").write().tryRun(lease -> {});
                dibs.semaphore("c", 2).tryAcquire().orElseThrow().close();
                dibs.tokens("d").consume(dibs.tokens("d").issue("e", Duration.ofMinutes(1)));
                dibs.once("f").every(Duration.ofDays(1)).tryRun(lease -> {});
                dibs.claims("mail")
                        .key("id")
                        .sideTable()
                        .build(row -> row.getInt("id"))
                        .claim(1)
                        .close();
                dibs.run("g").status();
                dibs.admin().doctor();
                return "done";
            }
        }
    }

    /** Loads Dibs again, and remembers the resources that it asks for. */
    private static final class Recorder extends URLClassLoader {
        private final Set<String> asked = new ConcurrentSkipListSet<>();

        Recorder(Path... folders) {
            super(Stream.of(folders).map(Recorder::url).toArray(URL[]::new), NativeImageTest.class.getClassLoader());
        }

        private static URL url(Path folder) {
            try {
                return folder.toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.dibs.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }

        @Override
        public URL getResource(String name) {
            asked.add(name);
            return findResource(name);
        }
    }

    @Test
    void metadataListsTheResourcesOfAnApplication() throws Exception {
        try (Recorder recorder = new Recorder(CLASSES, here())) {
            Object application = recorder.loadClass(Application.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            assertThat(((Callable<?>) application).call()).isEqualTo("done");
            assertThat(recorder.asked).hasSizeGreaterThan(20).allSatisfy(NativeImageTest::isListed);
        }
    }

    @Test
    void metadataListsAllFilesOfTheJar() throws IOException {
        try (Stream<Path> files = Files.walk(CLASSES.resolve("dev"))) {
            List<String> resources = files.filter(Files::isRegularFile)
                    .map(file -> CLASSES.relativize(file).toString())
                    .filter(name -> !name.endsWith(".class"))
                    .toList();
            assertThat(resources).hasSizeGreaterThan(50).allSatisfy(NativeImageTest::isListed);
        }
    }

    @Test
    void metadataListsEachClassNamedByAText() throws IOException {
        List<String> listed = find(CLASS_NAME, Files.readString(METADATA));
        try (Stream<Path> files = Files.walk(CORE.resolve("java"))) {
            List<String> named = files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> Page.of(file).text())
                    .filter(source -> source.contains("Class.forName("))
                    .flatMap(source -> find(CLASS_NAME, source).stream())
                    .toList();
            assertThat(named).hasSizeGreaterThan(1).isSubsetOf(listed);
        }
    }

    private static Path here() throws URISyntaxException {
        return Path.of(NativeImageTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static void isListed(String resource) {
        List<PathMatcher> globs = find(GLOB, Page.of(METADATA).text()).stream()
                .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob))
                .toList();
        assertThat(globs).as(resource).anyMatch(glob -> glob.matches(Path.of(resource)));
    }

    private static List<String> find(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }
}
