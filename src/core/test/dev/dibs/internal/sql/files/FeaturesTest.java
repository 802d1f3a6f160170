package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.internal.sql.files.Features.IndexFilter;
import dev.dibs.internal.sql.files.Features.LocksMoreFrom;
import dev.dibs.internal.sql.files.Features.Together;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The files features.properties. */
@Tag("unit")
class FeaturesTest {

    static Set<String> dialects() {
        return Products.dialects();
    }

    /** In the order of the standard file; the default is no, one by one, none, or never. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            standard   | -
            h2         | locks transaction, retakes locks, completes in transaction
            mariadb    | locks more from repeatable_read, locks statement, retakes locks, locks refused rows, \
            tables without transactions, claims read by token, indexes end with primary key
            galera     | needs read committed, locks more from repeatable_read, answers before commit, locks statement, \
            locks refused rows, tables without transactions, claims read by token, indexes end with primary key
            mysql      | locks more from repeatable_read, retakes locks, locks refused rows, tables without transactions, \
            claims read by token, indexes end with primary key
            sqlserver  | national text, needs read committed, errors may end transaction, \
            statements need no separator, filter comparisons
            postgresql | several in one text, notifies, locks statement, lists in one statement, retakes locks, \
            retakes together, renews all at once, claims per key at once, filter fixed
            """)
    void featuresAreReadFromTheDialect(String dialect, String said) throws ReflectiveOperationException {
        assertThat(said(features(dialect))).isEqualTo(said == null ? "" : said);
    }

    private static Features features(String dialect) {
        return Features.load(dialect.equals("standard") ? DialectFolder.STANDARD : DialectFolder.named(dialect));
    }

    /** By the components of the record, each of which has the name of its key. */
    private static String said(Features features) throws ReflectiveOperationException {
        Map<String, Object> values = new HashMap<>();
        for (RecordComponent component : Features.class.getRecordComponents()) {
            values.put(component.getName(), component.getAccessor().invoke(features));
        }
        List<String> said = new ArrayList<>();
        for (String key : DialectFolder.STANDARD.properties(Features.FILE).keySet()) {
            Object value = values.remove(componentFor(key));
            assertThat(value).as(key).isNotNull();
            String plain = key.replace('_', ' ');
            if (value instanceof Together together && together != Together.ONE_BY_ONE) {
                said.add(plain.replace("together", together.name().toLowerCase(Locale.ROOT)));
            } else if (value instanceof IndexFilter filter && filter != IndexFilter.NONE) {
                said.add(plain.replace("index filter", "filter " + filter.name().toLowerCase(Locale.ROOT)));
            } else if (value instanceof LocksMoreFrom lowest && lowest != LocksMoreFrom.NEVER) {
                said.add(plain + " " + lowest.name().toLowerCase(Locale.ROOT));
            } else if (Boolean.TRUE.equals(value)) {
                said.add(plain);
            }
        }
        assertThat(values).as("no key has them").isEmpty();
        return String.join(", ", said);
    }

    private static String componentFor(String key) {
        StringBuilder component = new StringBuilder();
        for (String word : key.split("_", -1)) {
            component.append(component.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return component.toString();
    }

    @Test
    void aUsersFolderOverridesFeatures(@TempDir Path parent) throws IOException {
        Path folder = folder(parent, "-- fragment: base\npostgresql\n", "locks_together = one_by_one\n");
        Statements statements = Statements.load(DialectFolder.at(folder), "dibs_");
        assertThat(statements.features().locksTogether()).isEqualTo(Together.ONE_BY_ONE);
        assertThat(statements.features().retakesTogether()).isTrue();
        assertThat(statements.names()).contains("acquire_lock").doesNotContain("acquire_each_lock");
    }

    /** MySQL's folder is itself one over MariaDB's. */
    @ParameterizedTest
    @MethodSource("dialects")
    void aUsersFolderInheritsFromAnyDialect(String dialect, @TempDir Path parent) throws IOException {
        Path folder = folder(parent, "-- fragment: base\n" + dialect + "\n", "");
        Statements statements = Statements.load(DialectFolder.at(folder), "dibs_");
        Statements base = Statements.load(DialectFolder.named(dialect), "dibs_");
        assertThat(statements.names()).isEqualTo(base.names());
        assertThat(statements.names())
                .allSatisfy(name -> assertThat(statements.text(name)).isEqualTo(base.text(name)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            locks_together = both   | 'locks_together' is one of [one_by_one, statement, transaction], and not 'both'
            retakes_locks = true    | 'retakes_locks' is one of [yes, no], and not 'true'
            retakes_locks = YES     | 'retakes_locks' is one of [yes, no], and not 'YES'
            index_filter = all      | 'index_filter' is one of [none, comparisons, fixed], and not 'all'
            lock_together = yes     | there is no capability 'lock_together'; there are [national_text, needs_read_committed
            notifies                | expected 'key = value'
            renews_all_at_once = no | 'renews_all_at_once' appears twice
            """)
    void aBadLineIsRefusedWithItsNumber(String line, String why, @TempDir Path parent) throws IOException {
        Path folder = folder(parent, "-- fragment: now\nx\n", "# Mine.\nrenews_all_at_once = yes\n" + line + "\n");
        assertThatThrownBy(() -> Statements.load(DialectFolder.at(folder), "dibs_"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("firebird/features.properties, line 3: " + why);
    }

    private static Path folder(Path parent, String dialect, String features) throws IOException {
        Path folder = Files.createDirectory(parent.resolve("firebird"));
        Files.writeString(folder.resolve("dialect.sql"), dialect);
        Files.writeString(folder.resolve("features.properties"), features);
        return folder;
    }
}
