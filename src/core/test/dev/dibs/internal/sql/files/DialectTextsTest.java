package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What no database refuses, but all texts of a dialect keep to. */
@Tag("unit")
class DialectTextsTest {
    private static final int DEEPEST = 2;
    private static final Pattern FRAGMENT = Pattern.compile("\\{([a-z][a-z0-9_]*)}");

    /** A table's name, and the values that Java fills in for each column of a key. */
    private static final Set<String> VALUES =
            Set.of("prefix", "prefix_text", "leases", "leases_text", "each_table", "key_list");

    private static final Pattern INSERT = Pattern.compile("INSERT INTO dibs_(?<table>\\w+) \\((?<columns>[^)]*)\\)");
    private static final Pattern TEMPORARY = Pattern.compile("SELECT\\b[^;]*?\\bINTO (#[\\w{}]+)");

    static Set<String> dialects() {
        return Products.dialects();
    }

    /**
     * A reader of a statement looks up its fragments, and theirs, and no more. The words of dialect.sql, such as the clock, do not count: they are explained in one
     * place.
     */
    @ParameterizedTest
    @MethodSource("dialects")
    void fragmentsNestTwoDeepAtMost(String dialect) {
        DialectFolder folder = DialectFolder.named(dialect);
        Set<String> words = new HashSet<>(VALUES);
        Map<String, String> fragments = new HashMap<>();
        Map<String, String> texts = new HashMap<>();
        Map<String, String> leases = new HashMap<>();
        for (DialectFolder layer : folder.layers()) {
            words.addAll(layer.read("dialect").fragments.keySet());
            files().forEach(file -> fragments.putAll(layer.read(file).fragments));
            files().filter(file -> !file.equals(Statements.LEASES)).forEach(file -> texts.putAll(texts(layer, file)));
            leases.putAll(texts(layer, Statements.LEASES));
        }
        fragments.forEach((name, text) -> texts.put("{" + name + "}", text));
        Set<String> tooDeep = new TreeSet<>(tooDeep(texts, fragments, words));
        for (LeaseSql kind : LeaseSql.all(fragments, Features.load(folder))) {
            tooDeep.addAll(tooDeep(kind.named(leases), kind.fragments(), words));
        }
        assertThat(leases).isNotEmpty();
        assertThat(tooDeep).isEmpty();
    }

    private static Stream<String> files() {
        return Stream.of(Statements.FILES, List.of(Statements.LEASES), Statements.TEMPLATES)
                .flatMap(List::stream);
    }

    private static Map<String, String> texts(DialectFolder layer, String file) {
        Map<String, String> texts = new HashMap<>();
        layer.read(file).statements.forEach((name, steps) -> texts.put(name, steps.toString()));
        return texts;
    }

    private static List<String> tooDeep(Map<String, String> texts, Map<String, String> fragments, Set<String> words) {
        List<String> found = new ArrayList<>();
        texts.forEach((name, text) -> {
            List<String> chain = chain(text, fragments, words);
            if (chain.size() > DEEPEST) {
                found.add(name + ": " + String.join(" > ", chain));
            }
        });
        return found;
    }

    /** The longest way down. The files have no circles, or they could not be loaded. */
    private static List<String> chain(String text, Map<String, String> fragments, Set<String> words) {
        List<String> longest = List.of();
        Matcher found = FRAGMENT.matcher(text);
        while (found.find()) {
            String name = found.group(1);
            if (!words.contains(name) && fragments.containsKey(name)) {
                List<String> chain = new ArrayList<>(List.of(name));
                chain.addAll(chain(fragments.get(name), fragments, words));
                longest = chain.size() > longest.size() ? chain : longest;
            }
        }
        return longest;
    }

    /** The key of a table of names is name_key, which has no default. */
    @Test
    void everyRowOfANameHasItsKey() {
        List<String> wrong = new ArrayList<>();
        sqlServer()
                .forEach((name, text) -> INSERT.matcher(text)
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
        for (Map.Entry<String, String> text : sqlServer().entrySet()) {
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

    private static Map<String, String> sqlServer() {
        return new LinkedHashMap<>(EffectiveTexts.of("sqlserver"));
    }
}
