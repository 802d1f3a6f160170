package dev.dibs.statements;

import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Features;
import dev.dibs.internal.sql.files.PropertyFile;
import dev.dibs.internal.sql.files.Statements;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of a dialect as they are sent, with their contracts, for people. */
public final class StatementTexts {

    private static final String PARAMETERS = "parameters.properties";
    private static final Pattern TRANSACTION = Pattern.compile("(?m)^transaction: (.+)\\R?");
    private static final String ALONE = "each step alone";

    private StatementTexts() {}

    /**
     * All statements that the library may send, except those about a user's table, in the order of the files.
     *
     * @param prefix the prefix of every table name
     * @param style the notation of the parameters
     */
    public static List<StatementText> of(DialectFolder folder, String prefix, Placeholders style) {
        Statements statements = Statements.load(folder, prefix);
        Map<String, String> contracts = statements.contracts();
        return statements.names().stream()
                .filter(name -> isSent(name, statements.features()))
                .map(name -> of(name, contracts.getOrDefault(name, ""), statements, name, style))
                .toList();
    }

    /** A dialect inherits every standard statement, but its database may know no such thing. */
    private static boolean isSent(String name, Features features) {
        return switch (name) {
            case "retake_lock" -> features.retakesLocks();
            case "retake_each_lock" -> features.retakesTogether();
            default -> true;
        };
    }

    /**
     * One statement.
     *
     * @param name its name here
     * @param statement its name in its file
     */
    static StatementText of(String name, String contract, Statements statements, String statement, Placeholders style) {
        List<StatementText.Step> steps = statements.steps(statement).stream()
                .map(step -> StatementText.Step.of(step, style))
                .toList();
        Map<String, PropertyFile.Entry> known = DialectFolder.STANDARD.properties(PARAMETERS);
        Matcher transaction = TRANSACTION.matcher(contract);
        return new StatementText(
                name,
                transaction.replaceAll("").strip(),
                transaction.reset().find() ? transaction.group(1) : ALONE,
                steps.stream()
                        .flatMap(step -> step.binds().stream())
                        .distinct()
                        .map(bound -> parameter(bound, known))
                        .toList(),
                steps);
    }

    private static StatementText.Parameter parameter(String name, Map<String, PropertyFile.Entry> known) {
        PropertyFile.Entry entry = known.get(name);
        if (entry == null) {
            throw new IllegalArgumentException("sql/" + PARAMETERS + " does not say what :" + name + " is");
        }
        String[] parts = entry.value().split(", ", 2);
        return new StatementText.Parameter(name, parts[0], parts.length > 1 ? parts[1] : "");
    }
}
