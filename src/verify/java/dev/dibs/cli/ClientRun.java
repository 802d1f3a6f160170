package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.conformance.Conformance;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Runs {@code dibs conformance}, and programs of src/verify/clients, with a client on a database. */
record ClientRun(TestDatabase database) {

    /** Types of keys, each with a value. MySQL has no type for a UUID. */
    private static final Map<String, String> KEYS = Map.ofEntries(
            Map.entry("smallint", "7"),
            Map.entry("int", "7"),
            Map.entry("bigint", "9223372036854775807"),
            Map.entry("varchar(20)", "' e,\"f'"),
            Map.entry("char(10)", "'abc'"),
            Map.entry("text", "'abc'"),
            Map.entry("uuid", "'123e4567-e89b-12d3-a456-426614174000'"),
            Map.entry("boolean", "true"),
            Map.entry("numeric(10, 2)", "7"),
            Map.entry("date", "'2026-03-05'"),
            Map.entry("timestamp(6)", "'2026-03-05 10:00:00.123456'"));

    private static final Pattern VOID = Pattern.compile("(?m)^VOID +level \\d +([a-z-]+): .*\\R");
    private static final int REPETITIONS = 3;

    static boolean succeeds(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** For a client that breaks a rule: it is the client's code that is wrong, which one database shows. */
    void assumeIs(Class<? extends TestDatabase> one) {
        Assumptions.assumeTrue(one.isInstance(database), "on " + one.getSimpleName());
    }

    /** A check that proved nothing, because this machine was too busy for it, is made again. */
    Outcome run(List<String> options, List<String> client) {
        Outcome outcome = runOnce(options, client);
        for (int i = 0; i < REPETITIONS && VOID.matcher(outcome.out()).find(); i++) {
            String without = VOID.matcher(outcome.out()).replaceAll("");
            String checks = VOID.matcher(outcome.out())
                    .results()
                    .map(line -> line.group(1))
                    .collect(Collectors.joining(","));
            Outcome again = runOnce(List.of("--only", checks), client);
            outcome = new Outcome(
                    without.contains("FAILED ") ? outcome.exitCode() : again.exitCode(),
                    without + again.out(),
                    outcome.err() + again.err());
        }
        return outcome;
    }

    private Outcome runOnce(List<String> options, List<String> client) {
        List<String> words = new ArrayList<>(List.of("conformance", "--url", database.url()));
        words.addAll(options);
        words.add("--");
        words.addAll(client);
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        return cli.run(words.toArray(String[]::new));
    }

    void assertKeepsAllRules(List<String> client) {
        Outcome outcome = run(List.of(), client);

        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out().lines()).hasSameSizeAs(Conformance.names()).allMatch(this::isRight, outcome.out());
        assertThat(outcome.exitCode()).isZero();
    }

    /** A file has no network that could be cut, and no row locks. */
    boolean isRight(String line) {
        return line.startsWith("ok ")
                || (database.port() == 0 && line.startsWith("skipped ") && line.contains("the database is a file"));
    }

    void assertFinds(List<String> client, String broken, String check) {
        List<String> command = new ArrayList<>(client);
        command.addAll(List.of("--broken", broken));
        Outcome outcome = run(List.of("--only", check), command);

        assertThat(outcome.out()).startsWith("FAILED ").contains(" " + check + ": ");
        assertThat(outcome.exitCode()).isEqualTo(1);
    }

    /**
     * The program completes a row with a key of each type, or refuses the type.
     *
     * @param hasUnhex whether its SQLite can read bytes from hexadecimal digits
     */
    void assertCompletes(List<String> program, boolean hasUnhex) throws Exception {
        List<Map.Entry<String, String>> keys = KEYS.entrySet().stream()
                .filter(key ->
                        !key.getKey().equals("uuid") || database.uuidType().equals("uuid"))
                .toList();
        List<String> lines = judged(program, keys);
        assertThat(lines).hasSameSizeAs(keys).allMatch(line -> line.endsWith(" ok") || line.endsWith(" refused"));
        assertThat(lines).filteredOn(line -> line.endsWith(" ok")).hasSizeGreaterThanOrEqualTo(5);
        List<Map.Entry<String, String>> unsigned = samples("bigint unsigned");
        if (!unsigned.isEmpty()) {
            assertThat(judged(program, unsigned)).allMatch(line -> line.endsWith(" ok"));
        }

        List<Map.Entry<String, String>> binary = binaryKeys();
        List<String> ofBytes = judged(program, binary);
        boolean takesBytes = database.port() != 0 || hasUnhex;
        assertThat(ofBytes).hasSameSizeAs(binary).allMatch(line -> line.endsWith(takesBytes ? " ok" : " refused"));
    }

    /** Bytes that are no text of any character set, and 16 of them: Hibernate and others keep a UUID so. */
    private List<Map.Entry<String, String>> binaryKeys() {
        return samples("bytea|blob|(var)?binary\\(.*");
    }

    /** The types of the database that match, with a value each: the largest, if the type has one. */
    private List<Map.Entry<String, String>> samples(String types) {
        return database.keys().types().stream()
                .filter(key -> key.type().matches(types))
                .map(key -> Map.entry(key.type(), key.values().get(0)))
                .toList();
    }

    /** One line for each key, of a table in which it is the only one; each may be NULL. */
    private List<String> judged(List<String> program, Collection<Map.Entry<String, String>> keys) throws Exception {
        List<String> tables = new ArrayList<>();
        Sql sql = Sql.on(database.dataSource());
        for (Map.Entry<String, String> key : keys) {
            String table = "client_key_" + UUID.randomUUID().toString().substring(0, 8);
            sql.run("CREATE TABLE " + table + " (id " + key.getKey()
                    + ", claimed_by varchar(32), claimed_until bigint, done int NOT NULL)");
            tables.add(table);
            sql.run("INSERT INTO " + table + " (id, done) VALUES (NULL, 0)");
            sql.run("INSERT INTO " + table + " (id, done) VALUES (" + key.getValue() + ", 0)");
        }
        List<String> lines =
                lines(Stream.concat(program.stream(), tables.stream()).toList());
        for (String table : tables) {
            sql.run("DROP TABLE " + table);
        }
        return lines;
    }

    /** What a program prints that finds the database as a client of {@code dibs conformance} does. */
    List<String> lines(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        URI address = URI.create(database.url().substring("jdbc:".length()).replaceFirst("\\?.*", ""));
        boolean file = database.port() == 0;
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment()
                .putAll(Map.of(
                        "DIBS_HOST", file ? "" : address.getHost(),
                        "DIBS_PORT", String.valueOf(address.getPort()),
                        "DIBS_DATABASE",
                                file ? address.getPath() : address.getPath().substring(1),
                        "DIBS_USER", database.user(),
                        "DIBS_PASSWORD", database.password(),
                        "DIBS_DIALECT", database.name()));
        try (InputStream output = builder.start().getInputStream()) {
            return new String(output.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }
}
