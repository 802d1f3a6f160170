package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks of the statements for SQL Server without a server. */
@Tag("unit")
class SqlServerTextsTest {

    private static final Pattern INSERT = Pattern.compile("INSERT INTO dibs_(?<table>\\w+) \\((?<columns>[^)]*)\\)");
    private static final Pattern TEMPORARY = Pattern.compile("SELECT\\b[^;]*?\\bINTO (#[\\w{}]+)");

    /** The key of a table of names is name_key, which has no default. */
    @Test
    void everyRowOfANameHasItsKey() {
        List<String> wrong = new ArrayList<>();
        texts().forEach((name, text) -> INSERT.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(insert -> insert.matches("(?s).*[(\\s]name,.*") && !insert.contains("dibs_run"))
                .filter(insert -> !insert.contains("name_key"))
                .forEach(insert -> wrong.add(name + ": " + insert)));
        assertThat(wrong).isEmpty();
    }

    /** A table that a failed batch has left would break the next one. */
    @Test
    void everyTemporaryTableIsDroppedFirst() {
        List<String> wrong = new ArrayList<>();
        int made = 0;
        for (Map.Entry<String, String> text : texts().entrySet()) {
            Matcher table = TEMPORARY.matcher(text.getValue());
            while (table.find()) {
                made++;
                String before = text.getValue().substring(0, table.start());
                if (!before.strip().endsWith("DROP TABLE IF EXISTS " + table.group(1) + ";")) {
                    wrong.add(text.getKey() + ": " + table.group(1));
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(made).isGreaterThan(20);
    }

    private static Map<String, String> texts() {
        return new LinkedHashMap<>(EffectiveTexts.of("sqlserver"));
    }
}
