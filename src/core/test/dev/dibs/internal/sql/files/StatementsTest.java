package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dialect;
import dev.dibs.pages.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class StatementsTest {

    private static final String PREFIX = "dibs_";

    /** call("x", callOn(connection, "x" and the like. */
    private static final Pattern CALLED = Pattern.compile("\\bcall(?:On)?\\(\\s*(?:\\w+,\\s*)?\"([a-z_0-9]+)\"");

    /** fragment("x". */
    private static final Pattern ASKED = Pattern.compile("\\bfragment\\(\\s*\"([a-z_0-9]+)\"");

    /** fragment(..).equals and the like. */
    private static final Pattern COMPARED =
            Pattern.compile("\\bfragment\\([^;()]+\\)\\s*\\.(?:equals|matches|contains|isEmpty|isBlank)");

    /** For these, the database's own features decide whether there are such statements. */
    private static final String ALL = "renew_all_";

    /** A guard changes the row where a lock of a row that is read would not do. Nobody asks whether these read. */
    private static final Pattern IN_THE_CALLERS_TRANSACTION =
            Pattern.compile("(guard|mark)_.*|find_(mark|transaction)");

    private static final Set<String> TEXTS = Set.of(
            "array_type",
            "key_glue",
            "key_whole",
            "key_written",
            "key_sent",
            "key_type",
            "quote",
            "group_after",
            "group_rows");

    private static final List<String> ALL_FILES = Stream.of(
                    Statements.FILES, List.of(Statements.LEASES), Statements.TEMPLATES)
            .flatMap(List::stream)
            .toList();

    static Set<String> dialects() {
        return Products.dialects();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void everyDialectHasEveryStatement(String dialect) {
        Statements statements = load(dialect);
        Set<String> all = new TreeSet<>(load("h2").names());
        if (statements.features().locksTogether() == Features.Together.ONE_BY_ONE) {
            all.removeAll(List.of("acquire_each_lock", "release_each_lock"));
        }
        if (statements.features().renewsAllAtOnce()) {
            List.copyOf(all).forEach(name -> all.add(name.replaceFirst("^renew_", ALL)));
        }
        if (statements.features().notifies()) {
            all.addAll(ofWakes());
        }
        assertThat(statements.names())
                .containsExactlyInAnyOrderElementsOf(all)
                .contains("acquire_lock", "renew_locks", "release_lock", "release_locks", "create_lock");
    }

    /** An error of such a statement says that it changes nothing, and it is sent again. */
    @ParameterizedTest
    @MethodSource("dialects")
    void aStatementThatOnlyReadsDoesSoOnEachDatabase(String dialect) {
        assertThat(reading(dialect)).containsExactlyInAnyOrderElementsOf(reading("h2"));
    }

    /** Only a database that notifies has them. */
    static Set<String> ofWakes() {
        return standard("wake").statements.keySet();
    }

    private static Set<String> reading(String dialect) {
        Statements statements = load(dialect);
        return statements.names().stream()
                .filter(name -> !ofWakes().contains(name))
                .filter(name -> !IN_THE_CALLERS_TRANSACTION.matcher(name).matches())
                .filter(name -> statements.steps(name).stream().noneMatch(PreparedSql::changes))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aDialectOverlaysStatementsOfTheStandard(String dialect) {
        for (String file : ALL_FILES) {
            assertThat(standard(file).statements.keySet())
                    .as(file)
                    .containsAll(folder(dialect, file).statements.keySet());
        }
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aDialectRepeatsNothing(String dialect) {
        for (String file : ALL_FILES) {
            StatementFile own = folder(dialect, file);
            StatementFile standard = standard(file);
            StatementFile base = base(dialect, file);
            own.statements.forEach((name, steps) -> assertThat(plain(steps))
                    .as(name)
                    .isNotEqualTo(plain(base.statements.getOrDefault(name, standard.statements.get(name)))));
            own.fragments.forEach((name, text) -> assertThat(text)
                    .as(name)
                    .isNotEqualTo(base.fragments.getOrDefault(name, standard.fragments.get(name))));
        }
    }

    /** The base of the dialect's own file, if it is not the standard alone. */
    private static StatementFile base(String dialect, String file) {
        String base = folder(dialect, "dialect").fragments.get("base");
        return base == null ? StatementFile.parse("none", "") : folder(base, file);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void everyFragmentIsUsed(String dialect) {
        String java = javaSources();
        String sql = Stream.of(DialectFolder.STANDARD, base(dialect), DialectFolder.named(dialect))
                .flatMap(folder -> ALL_FILES.stream().map(folder::read))
                .flatMap(file -> Stream.concat(
                        file.statements.values().stream().map(StatementsTest::plain), file.fragments.values().stream()))
                .collect(Collectors.joining("\n"));
        for (String fragment : folder(dialect, "dialect").fragments.keySet()) {
            assertThat(fragment.equals("base")
                            || sql.contains("{" + fragment + "}")
                            || java.contains("fragment(\"" + fragment + "\")"))
                    .as(fragment)
                    .isTrue();
        }
    }

    /** The texts of the files that Java puts into other texts. Decisions are in {@link Features}. */
    @Test
    void javaDecidesNothingByTheTextOfAFragment() {
        String java = javaSources();
        assertThat(ASKED.matcher(java).results().map(found -> found.group(1)))
                .isNotEmpty()
                .isSubsetOf(TEXTS);
        assertThat(COMPARED.matcher(java).results().map(MatchResult::group)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void thePrefixStandsBeforeEveryTable(String dialect) {
        Statements statements = Statements.load(DialectFolder.named(dialect), "some.where_");
        assertThat(statements.steps("acquire_lock").get(0).jdbc()).contains(" some.where_lock");
        assertThat(statements.schema().all())
                .extracting(TableSql::name)
                .allMatch(name -> name.startsWith("some.where_"));
        assertThat(statements.ddl(List.of())).contains("CREATE TABLE").contains("some.where_lock");
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aTableHasTheColumnsOfTheStandard(String dialect) {
        Map<String, TableSql> own = byStatement(load(dialect));
        byStatement(load("h2"))
                .forEach((statement, table) ->
                        assertThat(own.get(statement).columns()).as(statement).containsAll(table.columns()));
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void oneStatementAsksForEveryTable(String dialect) {
        Statements statements = load(dialect);
        String question = statements.steps("find_columns").get(0).jdbc();
        for (TableSql table : statements.schema().all()) {
            assertThat(table.columns()).hasSizeGreaterThan(3);
            assertThat(question).contains("'" + table.name() + "' AS in_table");
        }
    }

    @Test
    void everyStatementIsCalledAndEveryCallHasItsStatement() {
        String java = javaSources();
        Set<String> names = new TreeSet<>();
        ALL_FILES.forEach(file -> names.addAll(standard(file).statements.keySet()));
        Set<String> byTable = load("h2").schema().all().stream()
                .map(TableSql::createStatement)
                .collect(Collectors.toSet());
        Set<String> called = CALLED.matcher(java)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(called).as("called from Java").isNotEmpty().isSubsetOf(names);
        assertThat(names)
                .as("written in sql/")
                .allMatch(name -> byTable.contains(name) || java.contains('"' + name + '"') || isOfAKind(name));
        assertThat(names).containsAll(byTable);
    }

    /** One kind's own form of a statement that exists for all kinds. */
    private static boolean isOfAKind(String name) {
        return standard(Statements.LEASES).statements.keySet().stream()
                .anyMatch(template -> load("h2").names().stream()
                        .filter(table -> table.startsWith("create_"))
                        .map(table -> table.substring("create_".length()))
                        .anyMatch(kind -> Statements.nameFor(kind, template).equals(name)));
    }

    @Test
    void everyFileIsRead() throws IOException {
        assertThat(stems(Path.of("sql"))).containsExactlyInAnyOrderElementsOf(ALL_FILES);
        for (String dialect : Products.dialects()) {
            assertThat(ALL_FILES).containsAll(stems(Path.of("dialects", dialect)));
        }
    }

    @Test
    void aNameStandsInOneFileOnly() {
        List<String> all = ALL_FILES.stream()
                .flatMap(file -> standard(file).statements.keySet().stream())
                .toList();
        assertThat(all).doesNotHaveDuplicates();
        for (String dialect : Products.dialects()) {
            List<String> own = ALL_FILES.stream()
                    .flatMap(file -> folder(dialect, file).statements.keySet().stream())
                    .toList();
            assertThat(own).as(dialect).doesNotHaveDuplicates();
        }
    }

    @Test
    void everyStatementHasAContract() throws IOException {
        for (String file : ALL_FILES) {
            List<String> lines = Files.readAllLines(Path.of("sql", file + ".sql"));
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).startsWith("-- name: ") && !file.equals("doctor")) {
                    assertThat(lines.get(i + 1)).as(lines.get(i)).startsWith("-- ");
                }
            }
        }
    }

    @Test
    void aFolderOfTheUsersOverlaysByName(@TempDir Path parent) throws IOException {
        Path folder = Files.createDirectory(parent.resolve("firebird"));
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: now\nmy_clock\n-- fragment: quote\n`\n");
        Files.writeString(folder.resolve("doctor.sql"), "-- name: read_clock\nSELECT {now}, :x;\n");
        Statements statements = Statements.load(DialectFolder.at(folder), PREFIX);
        assertThat(statements.steps("read_clock"))
                .containsExactly(new PreparedSql("SELECT my_clock, ?", List.of("x"), StepCondition.ALWAYS));
        assertThat(statements.steps("list_locks").get(0).jdbc()).contains("held_until > my_clock");
        assertThat(statements.fragment("quote")).isEqualTo("`");
        assertThat(statements.fragment("array_type")).isEqualTo("varchar");
        assertThat(Dialect.at(folder).name()).isEqualTo("firebird");
        assertThat(Dialect.at(folder).ddl()).contains("CREATE TABLE IF NOT EXISTS dibs_lock");
    }

    @Test
    void aFolderWithoutADialectIsAnError(@TempDir Path folder) {
        assertThatThrownBy(() -> Dialect.at(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dialect.sql");
    }

    @Test
    void aMisspeltOverlayIsAnError(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: now\nx\n");
        Files.writeString(folder.resolve("locks.sql"), "-- name: aquire_lock\nSELECT 1;\n");
        assertThatThrownBy(() -> Statements.load(DialectFolder.at(folder), PREFIX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(folder.getFileName().toString(), "'aquire_lock'");
    }

    @Test
    void aFragmentThatNobodyDefinesIsAnError(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: now_micros\nx\n");
        assertThatThrownBy(() -> Statements.load(DialectFolder.at(folder), PREFIX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("{now}", "is not defined");
    }

    @Test
    void aFragmentOfNothingTakesTheBlankBeforeItAway() {
        assertThat(load("h2").text("create_lock"))
                .contains("name        varchar_casesensitive(200) NOT NULL PRIMARY KEY,\n")
                .endsWith("\n)");
    }

    @Test
    void fragmentsThatUseEachOtherAreAnError(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: now\n{later}\n-- fragment: later\n{now}\n");
        assertThatThrownBy(() -> Statements.load(DialectFolder.at(folder), PREFIX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("refers to itself");
    }

    @Test
    void anUnknownStatementIsAnError() {
        Statements statements = load("h2");
        assertThatThrownBy(() -> statements.steps("no_such")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> statements.fragment("no_such")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dibs_", "x", "_", "a.b", "db.schema.dibs_", "A1_"})
    void aPlainPrefixIsTaken(String prefix) {
        assertThat(Dialect.named("h2").ddl(prefix)).contains(prefix + "lock (");
    }

    private static Statements load(String dialect) {
        return Statements.load(DialectFolder.named(dialect), PREFIX);
    }

    private static StatementFile standard(String file) {
        return DialectFolder.STANDARD.read(file);
    }

    private static StatementFile folder(String dialect, String file) {
        return DialectFolder.named(dialect).read(file);
    }

    private static String plain(List<StatementFile.Step> steps) {
        return steps.stream().map(step -> step.text().replaceAll("\\s+", " ")).collect(Collectors.joining("\n"));
    }

    private static Map<String, TableSql> byStatement(Statements statements) {
        return statements.schema().all().stream().collect(Collectors.toMap(TableSql::createStatement, table -> table));
    }

    private static String javaSources() {
        try (Stream<Path> files = Files.walk(Path.of("src", "core", "java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> Page.of(file).text())
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> stems(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".sql"))
                    .map(file -> file.substring(0, file.length() - ".sql".length()))
                    .collect(Collectors.toSet());
        }
    }

    /** The dialect's base, or the standard once more. */
    private static DialectFolder base(String dialect) {
        String base = DialectFolder.named(dialect).read("dialect").fragments.get("base");
        return base == null ? DialectFolder.STANDARD : DialectFolder.named(base);
    }
}
