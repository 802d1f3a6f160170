package dev.dibs.internal.sql.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.claims.store.PlannedClaims;
import dev.dibs.internal.sql.call.CallTexts;
import java.sql.Types;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The variables, temporary tables and parameters of all texts, as they are sent. So a wrong rename is seen where no build runs the text. */
@Tag("unit")
class ComposedTextsTest {

    private static final ColumnInfo KEY = new ColumnInfo("id", Types.BIGINT, "bigint", 19, 0, false);
    private static final ColumnInfo GROUP = new ColumnInfo("customer", Types.VARCHAR, "varchar", 40, 0, true);

    private static final Pattern DECLARE = Pattern.compile("\\bDECLARE (?!EXIT)[^;]+");
    private static final Pattern SET = Pattern.compile("\\b(?:SET|INTO) @dibs_\\w+(?:(?: = .*)?, @dibs_\\w+)*");
    private static final Pattern CREATE = Pattern.compile("\\bSELECT\\b[^;]*?\\bINTO #\\w+");
    /** Variables and temporary tables; in a block of MariaDB, the variables that it sets. */
    private static final Pattern USED = Pattern.compile("(?<![@\\w])@\\w+|(?<!DROP TABLE IF EXISTS )#\\w+"
            + "|(?<=\\bINTO )\\w+(?=(, \\w+)*\\s+FROM\\b)|(?<=(;|THEN|ELSE|DO)\\s{1,20}SET )\\w+(?= =)");

    /** The forms of a list: the names of its parameter. */
    private static final Map<String, String> FORMS = Map.of("names", "pairs", "digests", "tokens", "key1", "keys");

    static Set<String> dialects() {
        return Products.dialects();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void eachNameIsMadeOnceAndUsedThereafter(String dialect) {
        Map<List<PreparedSql>, String> names = new HashMap<>();
        List<Statements> composed = composed(dialect);
        PlannedClaims.trials(composed.get(0), KEY, GROUP)
                .forEach(call -> names.put(CallTexts.of(call), CallTexts.name(call)));
        composed.forEach(all -> all.names().forEach(name -> names.put(all.steps(name), name)));
        Set<String> faults = new TreeSet<>();
        names.forEach((steps, name) -> faults(name, steps, faults));
        assertThat(faults).isEmpty();
    }

    /** A variable of SQL Server is one of its batch, of MariaDB of its block, and of MySQL of the session. */
    private static void faults(String name, List<PreparedSql> steps, Set<String> faults) {
        List<String> texts = steps.stream().map(PreparedSql::jdbc).toList();
        String whole = String.join(";\n", texts);
        for (String sent : whole.contains("@dibs_") ? List.of(whole) : texts) {
            String text = sent.replaceAll("'[^']*'", "''");
            Map<String, Integer> made = new HashMap<>();
            // Without an @, only what sets a variable can be told from columns: one that is never used was renamed.
            each(DECLARE, "(?<=(DECLARE|,)\\s{1,20})@?\\w+", flat(text), found -> {
                if (made.put(found.group(), found.start()) != null) {
                    faults.add(name + " declares " + found.group() + " twice");
                }
                if (text.split("\\b" + found.group() + "\\b", -1).length == 2) {
                    faults.add(name + " never uses " + found.group());
                }
            });
            each(SET, "@\\w+", text, found -> made.putIfAbsent(found.group(), found.start()));
            each(CREATE, "(?<=INTO )#\\w+", text, found -> made.putIfAbsent(found.group(), found.start()));
            USED.matcher(text).results().forEach(found -> {
                if (made.getOrDefault(found.group(), text.length()) > found.start()) {
                    faults.add(name + " uses " + found.group() + " before it is made");
                }
            });
        }
    }

    private static void each(Pattern region, String name, String text, Consumer<MatchResult> what) {
        Matcher names = Pattern.compile(name).matcher(text).useTransparentBounds(true);
        region.matcher(text)
                .results()
                .forEach(found ->
                        names.region(found.start(), found.end()).results().forEach(what));
    }

    /** With blanks in place of all that stands in round brackets. */
    private static String flat(String text) {
        String flat = Pattern.compile("\\([^()]*\\)")
                .matcher(text)
                .replaceAll(found -> " ".repeat(found.group().length()));
        return flat.equals(text) ? flat : flat(flat);
    }

    /** A call offers the same values whatever the dialect; two lists are offered in three forms. The calls above cannot be made otherwise. */
    @ParameterizedTest
    @MethodSource("dialects")
    void aDialectAsksForNoOtherParametersThanTheStandard(String dialect) {
        Map<String, Set<String>> offered = new HashMap<>();
        composed("h2").forEach(all -> all.names().forEach(name -> offered.put(name, parameters(all, name))));
        composed(dialect)
                .forEach(all -> all.names().stream()
                        .filter(name -> !StatementsTest.ofWakes().contains(name))
                        .forEach(name -> {
                            Set<String> known = offered.get(name.replaceFirst("^renew_all_", "renew_"));
                            FORMS.forEach((list, form) -> known.addAll(known.contains(list) ? Set.of(form) : Set.of()));
                            assertThat(known).as(name).containsAll(parameters(all, name));
                        }));
    }

    private static Set<String> parameters(Statements statements, String name) {
        Set<String> parameters = new HashSet<>();
        statements.steps(name).forEach(step -> parameters.addAll(step.parameters()));
        return parameters;
    }

    /** The statements of locks and the like; those about a user's table. */
    private static List<Statements> composed(String dialect) {
        Statements all = Statements.load(DialectFolder.named(dialect), "dibs_");
        return List.of(
                all,
                PlannedClaims.of(all, "side", "jobs", KEY, "done = 0"),
                PlannedClaims.of(all, "range", "jobs", KEY, "done = 0"),
                PlannedClaims.ofTable(all, "jobs", KEY, "token", "until", "done = 1"));
    }
}
