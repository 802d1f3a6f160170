package dev.dibs.internal.sql.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Products;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The files of properties: the library's, and errors.properties of a dialect in a user's folder. */
@Tag("unit")
class ErrorFilesTest {

    private static final List<String> FILES = List.of(
            SqlErrors.FILE, SqlErrors.REMEDIES, "features.properties", "key-types.properties", "parameters.properties");

    static Set<String> dialects() {
        return Products.dialects();
    }

    @Test
    void aUsersFolderAddsItsCodes(@TempDir Path parent) throws IOException {
        Path folder = folder(parent, "-- fragment: now\nmy_clock\n", """
                # A conflict with another transaction.
                code.335544336 = rolled back

                # No right to the table.
                code.335544352 = refused, right missing

                # Of a class that is refused elsewhere: here it comes after a commit, too.
                class.42 = connection lost
                """);
        SqlErrors errors = SqlErrors.load(DialectFolder.at(folder));
        SqlFailure conflict = errors.sent("s", error("HY000", 335544336), Asked.STATEMENT, () -> true);
        assertThat(conflict.outcome()).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(errors.isRolledBack(new IllegalStateException(conflict.getCause())))
                .isTrue();
        assertThat(errors.sent("s", error("HY000", 335544352), Asked.STATEMENT, () -> true)
                        .isRightMissing())
                .isTrue();
        assertThat(errors.known(error("42000", 1))).isEqualTo(Outcome.UNKNOWN);
        assertThat(errors.known(error("23000", 2))).as("the standard says").isEqualTo(Outcome.REFUSED);
        assertThat(errors.known(error("HY000", 1205))).as("of others").isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void aFolderWithABaseAddsToItsCodes(@TempDir Path parent) throws IOException {
        Path folder = folder(parent, "-- fragment: base\nmysql\n", "# Only here.\ncode.9999 = duplicate\n");
        SqlErrors errors = SqlErrors.load(DialectFolder.at(folder));
        assertThat(errors.known(error("HY000", 9999))).isEqualTo(Outcome.DUPLICATE);
        assertThat(errors.known(error("HY000", 3572))).isEqualTo(Outcome.ROLLED_BACK);
        assertThat(errors.known(error("23000", 0))).isEqualTo(Outcome.REFUSED);
    }

    /** What the files say beyond the outcome. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            postgresql, 42P01,     0, mistake
            postgresql, 42501,     0, mistake and right missing
            postgresql, 25006,     0, nothing
            postgresql, 53100,     0, nothing
            postgresql, 28P01,     0, nothing
            h2,         42S02, 42102, mistake
            h2,         90096, 90096, mistake and right missing
            h2,         90097, 90097, nothing
            mariadb,    42000,  1142, mistake and right missing
            mysql,      42000,  1370, mistake and right missing
            mysql,      HY000,  1290, nothing
            galera,     08S01,  1047, without quorum
            mariadb,    08S01,  1053, nothing
            sqlserver,  S0005,   229, mistake and right missing
            sqlserver,  S0001,   230, mistake and right missing
            sqlserver,  S0001,  3906, nothing
            mariadb,    HY000,  1114, nothing
            sqlserver,  S0002,  1105, nothing
            postgresql, 23514,     0, mistake
            sqlserver,  23000,  2627, mistake
            """)
    void errorsTellWhetherToRetryAndWhichObjectIsMissing(String dialect, String state, int code, String said) {
        SqlFailure failure = SqlErrors.load(DialectFolder.named(dialect))
                .sent("s", error(state, code), Asked.STATEMENT, () -> false);
        assertThat(failure.isMistake()).isEqualTo(said.contains("mistake"));
        assertThat(failure.isRightMissing()).isEqualTo(said.contains("right missing"));
        assertThat(failure.isWithoutQuorum()).isEqualTo(said.contains("without quorum"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            code.1205 = rolled back, dead    | 'dead' is no meaning of an error
            code.1205 = Duplicate            | 'Duplicate' is no meaning of an error
            code.1205 = duplicate,           | '' is no meaning of an error
            code.0 = refused                 | 'code.0' is no error
            code.12a = refused               | 'code.12a' is no error
            state.4200 = refused             | 'state.4200' is no error
            state.42p01 = refused            | 'state.42p01' is no error
            class.420 = refused              | 'class.420' is no error
            1205 = refused                   | '1205' is no error
            code.1205                        | expected 'key = value'
            code.1205 =                      | expected 'key = value'
            code 1205 = refused              | expected 'key = value'
            class.23 = refused               | 'class.23' appears twice
            """)
    void aBadLineIsRefusedWithItsNumber(String line, String why, @TempDir Path parent) throws IOException {
        Path folder = folder(parent, "-- fragment: now\nmy_clock\n", "# Mine.\nclass.23 = duplicate\n\n" + line + "\n");
        assertThatThrownBy(() -> SqlErrors.load(DialectFolder.at(folder)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("firebird/errors.properties, line 4: ", why);
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void aDialectRepeatsNothing(String dialect) {
        for (String file : FILES) {
            Map<String, String> inherited = new HashMap<>();
            for (DialectFolder layer : DialectFolder.named(dialect).layers()) {
                layer.properties(file)
                        .forEach((key, entry) -> assertThat(inherited.put(key, entry.value()))
                                .as(file + ": " + key)
                                .isNotEqualTo(entry.value()));
            }
        }
    }

    @Test
    void everyErrorHasAComment() throws IOException {
        for (Path file : folders().stream()
                .flatMap(folder -> Stream.of(folder.resolve(SqlErrors.FILE), folder.resolve(SqlErrors.REMEDIES)))
                .filter(Files::exists)
                .toList()) {
            String above = "";
            for (String line : Files.readAllLines(file)) {
                if (line.contains(" = ") && !line.startsWith("#")) {
                    assertThat(above).as(file + ": " + line).isNotBlank();
                }
                above = line;
            }
        }
    }

    /** A misspelt one would never be read. */
    @Test
    void noFileOfADialectIsLeftOut() {
        assertThat(folders().stream()
                        .flatMap(folder -> Stream.of(folder.toFile().list()))
                        .filter(name -> !name.endsWith(".sql")))
                .hasSameElementsAs(FILES);
    }

    private static List<Path> folders() {
        List<Path> folders = new ArrayList<>(List.of(Path.of("sql")));
        Products.dialects().forEach(dialect -> folders.add(Path.of("dialects", dialect)));
        return folders;
    }

    private static Path folder(Path parent, String dialect, String errors) throws IOException {
        Path folder = Files.createDirectory(parent.resolve("firebird"));
        Files.writeString(folder.resolve("dialect.sql"), dialect);
        Files.writeString(folder.resolve("errors.properties"), errors);
        return folder;
    }

    private static SQLException error(String state, int code) {
        return new SQLException("refused", state, code);
    }
}
