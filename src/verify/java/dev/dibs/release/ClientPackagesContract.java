package dev.dibs.release;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullTest;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The clients in Python and Node as packages: built, installed into an empty folder, and used by a typed program that names all that they
 * offer. The one in PHP is installed by Composer. {@code .ci/run} installs the tools into {@code target/python} and {@code target/node}.
 */
@OnEachDatabase(PostgresDatabase.class)
@Tag("process")
@Timeout(600)
class ClientPackagesContract implements DatabaseUser {

    private static final Path PYTHON = Path.of("target", "python", "bin").toAbsolutePath();
    private static final Path NODE = Path.of("target", "node", "node_modules").toAbsolutePath();
    private static final Path CLIENTS = Path.of("clients").toAbsolutePath();
    private static final Path PROGRAMS = Path.of("src", "verify", "clients").toAbsolutePath();

    private TestDatabase database;

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    @FullTest
    void pythonIsInstalledAndTyped(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(
                Files.exists(PYTHON.resolve("mypy")) && Files.exists(PYTHON.resolve("pyproject-build")),
                "no mypy, build and hatchling in target/python");
        Path client = CLIENTS.resolve("python");
        String mypy = PYTHON.resolve("mypy").toString();
        run(folder, mypy, "--strict", client.resolve("dibs.py").toString());

        String build = PYTHON.resolve("pyproject-build").toString();
        run(folder, build, "--no-isolation", "--outdir", "built", client.toString());
        String python = PYTHON.resolve("python3").toString();
        run(folder, python, "-m", "venv", "--copies", "--without-pip", "empty");
        String installed = folder.resolve("empty/bin/python3").toString();
        String wheel = file(folder.resolve("built"), ".whl");
        run(folder, python, "-m", "pip", "--python", installed, "install", "--no-index", "--no-deps", wheel);

        Path program = Files.copy(PROGRAMS.resolve("every_name.py"), folder.resolve("every_name.py"));
        run(folder, mypy, "--strict", "--python-executable", installed, program.toString());
        assertThat(run(
                        folder,
                        installed,
                        program.toString(),
                        folder.resolve("file.db").toString()))
                .isEqualTo("ok");
        String names = run(folder, installed, "-c", "import dibs; print(*dibs.__all__)");
        assertThat(Files.readString(program)).contains(names.split(" ")).doesNotContain("dibs._");
    }

    @FullTest
    void nodeIsInstalledAndTyped() throws Exception {
        Assumptions.assumeTrue(
                Stream.of("typescript", "pg", "@types/pg").allMatch(name -> Files.isDirectory(NODE.resolve(name))),
                "no typescript, pg and @types/pg in target/node");
        Path folder = emptied(NODE.resolveSibling("package"));
        String client = CLIENTS.resolve("node").toString();
        run(folder, "npm", "pack", "--silent", client);
        String archive = file(folder, ".tgz");
        run(folder, "npm", "install", "--offline", "--no-audit", "--no-fund", "--omit=peer", archive);
        Files.copy(PROGRAMS.resolve("every-name.mts"), folder.resolve("every-name.mts"));
        String compiler = NODE.resolve(".bin").resolve("tsc").toString();
        run(
                folder,
                compiler,
                "--strict",
                "--target",
                "es2022",
                "--module",
                "nodenext",
                "--types",
                "node",
                "every-name.mts");
        assertThat(run(folder, "node", "every-name.mjs")).isEqualTo("ok");
    }

    /** From a folder, without a registry. */
    @FullTest
    void phpIsInstalledByComposer(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":", -1))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "composer"))),
                "no composer");
        Path client = CLIENTS.resolve("php");
        run(
                folder,
                "composer",
                "validate",
                "--strict",
                client.resolve("composer.json").toString());
        Files.writeString(folder.resolve("composer.json"), """
                {"repositories": [{"type": "path", "url": "%s", "options": {"symlink": false}}, {"packagist.org": false}],
                 "require": {"dibs/client": "@dev"}}
                """.formatted(client));
        run(folder, "composer", "install", "--no-interaction");
        String program = "require 'vendor/autoload.php'; $dibs = new Dibs\\Dibs(new PDO('sqlite::memory:'));"
                + " $dibs->createSchema(); echo $dibs->inTransaction('x', 1, fn () => 'ok');";
        assertThat(run(folder, "php", "-r", program)).isEqualTo("ok");
    }

    @Test
    void everyPackageHasTheLicenseOfDibs() {
        for (String language : List.of("python", "node", "go", "php")) {
            assertThat(CLIENTS.resolve(language).resolve("LICENSE")).hasSameTextualContentAs(Path.of("LICENSE"));
        }
    }

    /** Node finds the driver and its types in the folder above; npm installs into the folder with the file. */
    private static Path emptied(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        Files.createDirectory(folder);
        Files.writeString(folder.resolve("package.json"), "{}");
        return folder;
    }

    private static String file(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .findFirst()
                    .orElseThrow()
                    .toString();
        }
    }

    /** What it prints. It must succeed. */
    private String run(Path folder, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        URI address = URI.create(database.url().substring("jdbc:".length()).replaceFirst("\\?.*", ""));
        builder.environment()
                .putAll(Map.of(
                        "DIBS_HOST", address.getHost(),
                        "DIBS_PORT", String.valueOf(address.getPort()),
                        "DIBS_DATABASE", address.getPath().substring(1),
                        "DIBS_USER", database.user(),
                        "DIBS_PASSWORD", database.password(),
                        "COMPOSER_ALLOW_SUPERUSER", "1"));
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor())
                .as(String.join(" ", command) + ": " + said)
                .isZero();
        return said;
    }
}
