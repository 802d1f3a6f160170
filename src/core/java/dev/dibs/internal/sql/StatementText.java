package dev.dibs.internal.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement as it is sent, for people and programs in other languages.
 *
 * @param name what it is called in its file
 * @param contract what it does, and what a row and its absence mean; of a dialect's own form also what is special there
 * @param steps what is sent, in order
 */
public record StatementText(String name, String contract, List<Step> steps) {

    /**
     * One text that is sent.
     *
     * @param sql the text
     * @param binds the names of the values to bind, in their order: one for each place, or for each number of {@link
     *     Placeholders#DOLLAR}
     * @param onlyIfNoRow whether it is sent only if the steps before it returned no row
     * @param key the column of the changed row that comes back as a generated key, if so
     */
    public record Step(
            String sql,
            List<String> binds,
            boolean onlyIfNoRow,
            @Nullable String key) {

        static Step of(SqlText text, Placeholders style) {
            List<String> binds = style == Placeholders.QUESTION
                    ? text.parameters()
                    : text.parameters().stream().distinct().toList();
            return new Step(style.in(text), binds, text.onlyIfEmpty(), text.key());
        }
    }
}
