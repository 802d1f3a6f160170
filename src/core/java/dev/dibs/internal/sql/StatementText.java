package dev.dibs.internal.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement as it is sent, for people and programs in other languages.
 *
 * @param name what it is called in its file
 * @param contract what it does, and what a row and its absence mean; of a dialect's own form also what is special there
 * @param transaction which transaction the steps belong to
 * @param parameters what is bound
 * @param steps what is sent, in order, over one connection
 */
public record StatementText(
        String name, String contract, String transaction, List<Parameter> parameters, List<Step> steps) {

    /**
     * A value that is bound.
     *
     * @param type how it is bound: text, bigint, bytes, json, or a list of one of these
     * @param unit its unit or form; empty where there is none
     */
    public record Parameter(String name, String type, String unit) {}

    /**
     * One text that is sent.
     *
     * @param sql the text
     * @param binds the names of the values to bind, in their order: one for each place, or for each number of {@link
     *     Placeholders#DOLLAR}
     * @param when when it is sent
     * @param key the column of the changed row that comes back as a generated key, if so
     */
    public record Step(
            String sql,
            List<String> binds,
            StepCondition when,
            @Nullable String key) {

        static Step of(SqlText text, Placeholders style) {
            List<String> binds = style == Placeholders.QUESTION
                    ? text.parameters()
                    : text.parameters().stream().distinct().toList();
            return new Step(style.in(text), binds, text.when(), text.key());
        }
    }
}
