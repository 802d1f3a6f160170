package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A statement of the files, put together when it is first asked for. Safe for use by many threads. */
final class ExpandedSql {

    private static final Pattern FRAGMENT = Pattern.compile("( ?)\\{([a-z][a-z0-9_]*)}");

    private final String name;
    private final List<StatementFile.Step> templates;
    private final Map<String, String> fragments;
    private final Map<String, String> texts;
    private volatile @Nullable List<PreparedSql> steps;

    /** With what stands for the names in its braces: see {@code Statements.about}. */
    ExpandedSql(
            String name, List<StatementFile.Step> templates, Map<String, String> fragments, Map<String, String> texts) {
        this.name = name;
        this.templates = templates;
        this.fragments = fragments;
        this.texts = texts;
    }

    /** The texts that are sent for it, in order. */
    List<PreparedSql> steps() {
        List<PreparedSql> known = steps;
        if (known == null) {
            List<PreparedSql> parsed = new ArrayList<>();
            for (StatementFile.Step step : templates) {
                String text = expand(name, step.text(), fragments, texts);
                parsed.add(PreparedSql.parse(text, step.when(), step.key()));
            }
            known = List.copyOf(parsed);
            steps = known;
        }
        return known;
    }

    /** The user's texts are filled in last, so that a brace in them stays a brace. */
    static String expand(String name, String text, Map<String, String> fragments, Map<String, String> texts) {
        String expanded = expand(name, text, texts::containsKey, fragments, Set.of());
        return FRAGMENT.matcher(expanded)
                .replaceAll(found -> Matcher.quoteReplacement(
                        texts.containsKey(found.group(2))
                                ? found.group(1) + texts.get(found.group(2))
                                : found.group()));
    }

    /**
     * Replaces fragments, and those that they use in turn. With an empty one, the blank before it goes.
     *
     * @param stays which names stay as they are
     * @param within the fragments around the text
     */
    static String expand(
            String name, String text, Predicate<String> stays, Map<String, String> fragments, Set<String> within) {
        return FRAGMENT.matcher(text).replaceAll(found -> {
            String fragment = found.group(2);
            if (stays.test(fragment)) {
                return Matcher.quoteReplacement(found.group());
            }
            if (within.contains(fragment)) {
                throw new IllegalArgumentException(
                        "statement '" + name + "' uses the fragment {" + fragment + "}, which refers to itself");
            }
            Set<String> inner = new HashSet<>(within);
            inner.add(fragment);
            String value = expand(name, known(name, fragment, fragments), stays, fragments, inner);
            return value.isEmpty() ? "" : Matcher.quoteReplacement(found.group(1) + value);
        });
    }

    private static String known(String name, String fragment, Map<String, String> fragments) {
        String value = fragments.get(fragment);
        if (value == null) {
            throw new IllegalArgumentException(
                    "statement '" + name + "' uses the fragment {" + fragment + "}, which is not defined");
        }
        return value;
    }
}
