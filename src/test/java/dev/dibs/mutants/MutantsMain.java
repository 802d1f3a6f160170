package dev.dibs.mutants;

import dev.dibs.fault.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Makes every mutant of one database's statements and runs the contracts that should notice. */
public final class MutantsMain {

    private static final Duration LONGEST = Duration.ofMinutes(10);

    /** Which contracts speak of what a file says; the rest of the suite would notice many, but later. */
    private static final Map<String, String> CONTRACTS = Map.ofEntries(
            Map.entry(
                    "leases",
                    "(Acquire|Owner|Fence|Guard|Loss|Hold|Wait|Fair|Fault|Once|Semaphore|ReadWrite.*|Process|Race|SemaphoreRace|OnceRace)Contract"),
            Map.entry(
                    "locks",
                    "(Acquire|Owner|Fence|Guard|Loss|Hold|LockAll|Wait|Fault|Race|Process|ThreadLock|Leadership)Contract"),
            Map.entry("fair", "FairContract"),
            Map.entry("once", "(Once|Value|OnceRace)Contract"),
            Map.entry("permits", "Semaphore.*Contract"),
            Map.entry("shared", "ReadWrite.*Contract"),
            Map.entry("tokens", "(Token.*|Code)Contract"),
            Map.entry("claims", "(Claim.*|Run|RunFault|RunLoss|RunRace)Contract"),
            Map.entry("side", "(SideClaim.*|Claim.*)Contract"),
            Map.entry("range", "RangeClaim.*Contract"),
            Map.entry("runs", "Run.*Contract"));

    private final Path project;
    private final String database;
    private final String tests;
    private final Properties equivalent = new Properties();

    private MutantsMain(Path project, String database) throws IOException {
        this.project = project;
        this.database = database;
        this.tests = "dev.dibs.database." + requireTests(database);
        try (var in =
                Files.newBufferedReader(project.resolve("src/test/java/dev/dibs/mutants/equivalent.properties"))) {
            equivalent.load(in);
        }
    }

    private static String requireTests(String database) {
        Map<String, String> tests =
                Map.of("h2", "H2Test", "postgresql", "PostgresTest", "mariadb", "MariaDbTest", "mysql", "MySqlTest");
        if (!tests.containsKey(database)) {
            throw new IllegalArgumentException("-Dmutants.database=" + database + " is none of " + tests.keySet());
        }
        return tests.get(database);
    }

    /** Arguments: the project's folder, the database, a part of the mutants' names or nothing. */
    public static void main(String[] args) throws Exception {
        MutantsMain main = new MutantsMain(Path.of(args[0]), args[1]);
        String only = args.length > 2 ? args[2].strip() : "";
        List<String> alive = new ArrayList<>();
        StringBuilder table = new StringBuilder("| statement | change | noticed by |\n| --- | --- | --- |\n");
        for (Mutant mutant : main.mutants()) {
            if (!mutant.toString().contains(only)) {
                continue;
            }
            String verdict = main.judge(mutant);
            System.out.println(mutant + " -> " + verdict);
            table.append("| ")
                    .append(mutant.file())
                    .append(' ')
                    .append(mutant.statement())
                    .append(" | ");
            table.append(mutant.change().replace("|", "\\|"))
                    .append(" | ")
                    .append(verdict)
                    .append(" |\n");
            Files.writeString(main.project.resolve("target/mutants-" + main.database + ".md"), table);
            if (verdict.startsWith("GREEN")) {
                alive.add(mutant.toString());
            }
        }
        if (!alive.isEmpty()) {
            System.out.println(alive.size() + " not noticed:\n" + String.join("\n", alive));
            System.exit(1);
        }
    }

    private List<Mutant> mutants() throws IOException {
        List<Mutant> mutants = new ArrayList<>();
        TreeMap<String, Path> files = new TreeMap<>();
        collect(files, project.resolve("sql"), "standard/");
        collect(files, project.resolve("dialects").resolve(database), "dialects/" + database + "/");
        for (Map.Entry<String, Path> file : files.entrySet()) {
            if (CONTRACTS.containsKey(stem(file.getKey()))) {
                mutants.addAll(Mutations.of(file.getKey(), Files.readString(file.getValue())));
            }
        }
        return mutants;
    }

    private static void collect(Map<String, Path> files, Path folder, String prefix) throws IOException {
        try (Stream<Path> found = Files.list(folder)) {
            found.filter(file -> file.toString().endsWith(".sql"))
                    .forEach(file -> files.put(prefix + file.getFileName(), file));
        }
    }

    private static String stem(String file) {
        return file.substring(file.lastIndexOf('/') + 1).replace(".sql", "");
    }

    private String judge(Mutant mutant) throws IOException, InterruptedException {
        String why = equivalent.getProperty(
                (mutant.file() + " " + mutant.statement() + " " + mutant.change()).replaceAll("[^A-Za-z0-9]+", "_"));
        if (why != null) {
            return "equivalent: " + why;
        }
        Path folder = Files.createDirectories(project.resolve("target/mutant-" + database));
        Path wrong = folder.resolve("dev/dibs/sql").resolve(mutant.file());
        Files.createDirectories(wrong.getParent());
        Files.writeString(wrong, mutant.text());
        // What is on the boot class path comes first, and the processes that the tests start inherit it.
        Map<String, String> environment = Map.of("JAVA_TOOL_OPTIONS", "-Xbootclasspath/a:" + folder);
        try (ChildJvm child = ChildJvm.start(
                List.of("-Xmx1g"), environment, MutantTests.class, tests, CONTRACTS.get(stem(mutant.file())))) {
            return child.awaitLine(line -> line.startsWith("RED") || line.startsWith("GREEN"), LONGEST);
        } catch (AssertionError e) {
            return "RED no end in " + LONGEST.toMinutes() + " minutes";
        } finally {
            Files.delete(wrong);
        }
    }
}
