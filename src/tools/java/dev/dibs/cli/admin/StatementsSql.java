package dev.dibs.cli.admin;

import dev.dibs.internal.sql.files.StepCondition;
import dev.dibs.statements.StatementText;
import java.util.List;
import java.util.stream.Collectors;

/** Statements in the form of the statement files. */
final class StatementsSql {

    private StatementsSql() {}

    static String of(List<StatementText> statements) {
        return statements.stream().map(StatementsSql::of).collect(Collectors.joining("\n\n"));
    }

    private static String of(StatementText statement) {
        StringBuilder text =
                new StringBuilder("-- name: ").append(statement.name()).append('\n');
        statement
                .contract()
                .lines()
                .forEach(line -> text.append("-- ").append(line).append('\n'));
        text.append("-- transaction: ").append(statement.transaction()).append('\n');
        for (int i = 0; i < statement.steps().size(); i++) {
            StatementText.Step step = statement.steps().get(i);
            if (i > 0) {
                text.append('\n').append(line(step.when())).append('\n');
            }
            if (step.key() != null) {
                text.append("-- key: ").append(step.key()).append('\n');
            }
            text.append(step.sql());
        }
        return text.append(';').toString();
    }

    private static String line(StepCondition when) {
        return (when.ifNoRow() ? "-- else" : "-- then") + (when.unless().isEmpty() ? "" : " unless " + when.unless());
    }
}
