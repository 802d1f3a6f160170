package dev.dibs.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A copy of the client in Go, built with the drivers of Debian's packages. So no module is downloaded; all that is built stays below {@code
 * target/go}.
 */
public final class GoProgram {
    private static final Path CLIENT = Path.of("clients", "go").toAbsolutePath();
    private static final Path FOLDER = Path.of("target", "go").toAbsolutePath();
    private static final Path DRIVERS = Path.of("/usr/share/gocode");
    private static final Map<String, GoProgram> COPIES = new ConcurrentHashMap<>();

    private final Path path;
    private Path built;

    private GoProgram(String name) throws IOException {
        path = FOLDER.resolve(name);
        try (Stream<Path> files = Files.walk(CLIENT)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = folder().resolve(CLIENT.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Why there is no such program here; empty if there is one. */
    public static Optional<String> obstacle() {
        try {
            String unused = Shell.run(List.of("go", "version"));
        } catch (IOException e) {
            return Optional.of("there is no go");
        }
        return Stream.of("lib/pq", "go-sql-driver/mysql", "mattn/go-sqlite3")
                .filter(driver -> !Files.isDirectory(DRIVERS.resolve("src/github.com/" + driver)))
                .findFirst()
                .map(driver -> "Debian's package of the driver " + driver + " is missing");
    }

    /** The client as it is. */
    public static GoProgram right() {
        return COPIES.computeIfAbsent("right", GoProgram::copy);
    }

    /** The client with a rule that is broken on purpose. */
    public static GoProgram broken(String name, List<Edit> edits) {
        return COPIES.computeIfAbsent(name.replace(' ', '-').replace(",", ""), folder -> {
            GoProgram copy = copy(folder);
            for (Edit edit : edits) {
                edit.apply(copy.folder());
            }
            return copy;
        });
    }

    private static GoProgram copy(String name) {
        try {
            return new GoProgram(name);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * A change of a file: in each of its parts that the first pattern finds, what the second one finds is replaced. It must be there.
     *
     * @param replacement may name groups of the second pattern
     */
    public record Edit(String file, String part, String pattern, String replacement) {

        /** A change of the code: a text that is there once, and another one. */
        public static Edit of(String text, String replacement) {
            return new Edit("dibs.go", ".+", Pattern.quote(text), Matcher.quoteReplacement(replacement));
        }

        /** A change of a statement, for all databases. */
        public static Edit ofStatement(String name, String pattern, String replacement) {
            return new Edit("statements.go", "\"" + name + "\": \\{.*?\n\t\t\\}\\},", pattern, replacement);
        }

        private void apply(Path folder) {
            Path path = folder.resolve(file);
            try {
                String text = Files.readString(path);
                String changed = Pattern.compile(part, Pattern.DOTALL)
                        .matcher(text)
                        .replaceAll(
                                found -> Matcher.quoteReplacement(found.group().replaceAll(pattern, replacement)));
                if (changed.equals(text)) {
                    throw new IllegalStateException(file + " has no " + pattern);
                }
                Files.writeString(path, changed);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The folder of the package. */
    public Path folder() {
        return path.resolve("src/dibs.dev/dibs");
    }

    /** The program that answers {@code dibs conformance}. */
    public synchronized Path conformance() throws IOException {
        if (built == null) {
            Path program = path.resolve("conformance");
            Result result = go("build", "-o", program.toString(), "./conformance");
            if (!result.isGood()) {
                throw new IOException(result.said());
            }
            built = program;
        }
        return built;
    }

    /**
     * What a command has said, and whether it has succeeded.
     *
     * @param said both streams together
     */
    public record Result(boolean isGood, String said) {}

    /** Runs a command of go in the folder of the package. */
    public Result go(String... words) throws IOException {
        return run(Stream.concat(Stream.of("go"), Stream.of(words)).toList());
    }

    /** Runs a command in the folder of the package. */
    public Result run(List<String> command) throws IOException {
        return run(command, Map.of());
    }

    /** Runs a command in the folder of the package, with more variables of the environment. */
    public Result run(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command)).redirectErrorStream(true);
        builder.directory(folder().toFile());
        builder.environment()
                .putAll(Map.of(
                        "GO111MODULE",
                        "off",
                        "GOPATH",
                        path + ":" + DRIVERS,
                        "GOCACHE",
                        FOLDER.resolve("cache").toString(),
                        "GOFLAGS",
                        ""));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return new Result(process.waitFor() == 0, said);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
