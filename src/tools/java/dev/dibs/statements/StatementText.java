package dev.dibs.statements;

import dev.dibs.internal.sql.files.PreparedSql;
import dev.dibs.internal.sql.files.StepCondition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement as it is sent, for people and for programs in other languages.
 *
 * @param name its name in its file
 * @param contract its effect, and the meaning of a row and of no row; for a dialect's own form also its peculiarities
 * @param transaction the transaction of the steps
 * @param parameters the values to bind
 * @param steps the texts to send, in order, over one connection
 */
public record StatementText(
        String name, String contract, String transaction, List<Parameter> parameters, List<Step> steps) {

    /**
     * A value to bind.
     *
     * @param type how it is bound: text, bigint, bytes, json, or a list of one of these
     * @param unit its unit or form; empty if there is none
     */
    public record Parameter(String name, String type, String unit) {}

    /**
     * One text to send.
     *
     * @param sql the text
     * @param binds the names of the values to bind, in their order: one for each place, or for each number of {@link Placeholders#DOLLAR}
     * @param when the condition under which it is sent
     * @param key the column of the changed row that comes back as a generated key, if any
     */
    public record Step(
            String sql,
            List<String> binds,
            StepCondition when,
            @Nullable String key) {

        static Step of(PreparedSql text, Placeholders style) {
            List<String> binds = style == Placeholders.QUESTION
                    ? text.parameters()
                    : text.parameters().stream().distinct().toList();
            return new Step(style.in(text), binds, text.when(), text.key());
        }
    }
}
