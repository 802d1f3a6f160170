package dev.dibs.site;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** The site in target/site. The first test that asks for it builds it. */
final class BuiltSite {

    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final Path TARGET = ROOT.resolve("target");
    private static final Path PAGES = TARGET.resolve("site-pages");
    private static final Path SITE = TARGET.resolve("site");
    private static final Path LOG = TARGET.resolve("site.log");
    /** Its own files: what is no page of docs/. */
    private static final Path OWN = ROOT.resolve("src/site");

    private static final int MINUTES = 10;
    /** Several classes of tests may ask for it at once. */
    private static final ReentrantLock BUILDING = new ReentrantLock();

    private static boolean built;

    private BuiltSite() {}

    /** The folder of the site. Without the generator the test is skipped. */
    static Path folder() throws Exception {
        BUILDING.lock();
        try {
            if (!built) {
                build();
                built = true;
            }
            return SITE;
        } finally {
            BUILDING.unlock();
        }
    }

    private static void build() throws Exception {
        Path program = generator();
        delete(SITE);
        delete(PAGES);
        SitePages.collect(ROOT, PAGES);
        GeneratedPages.statements(ROOT, PAGES);
        GeneratedPages.javadoc(ROOT, PAGES);
        for (String file : List.of("style.css", "site.js", "favicon.svg", "licenses.md")) {
            SitePages.copy(OWN.resolve(file), PAGES.resolve(file));
        }
        Path settings = TARGET.resolve("site.yml");
        Files.writeString(
                settings,
                "INHERIT: ../src/site/mkdocs.yml\ndocs_dir: site-pages\nsite_dir: site\n"
                        + new SiteNavigation(ROOT).yaml());
        Process process = new ProcessBuilder(
                        program.toString(), "build", "--strict", "--config-file", settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(LOG.toFile())
                .start();
        boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        String said = Files.readString(LOG);
        assumeTrue(
                !said.contains("Unrecognised theme"), "the site is not built: the package mkdocs-material is missing");
        if (!ended || process.exitValue() != 0) {
            throw new IllegalStateException("the site could not be built: " + said);
        }
        SearchIndex.trim(SITE);
        // The search in languages that the site does not have.
        delete(SITE.resolve("assets/javascripts/lunr"));
    }

    private static Path generator() {
        Path program = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "mkdocs"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(program != null, "the site is not built: there is no mkdocs; install the package mkdocs-material");
        return program;
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
