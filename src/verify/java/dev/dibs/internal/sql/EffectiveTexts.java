package dev.dibs.internal.sql;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All that one database may be sent, as the files on the class path say it now: what a dialect replaces is not in it. */
public final class EffectiveTexts {

    private static final Pattern FRAGMENT = Pattern.compile("\\{([a-z][a-z0-9_]*)}");

    private final Statements statements;

    private EffectiveTexts(Statements statements) {
        this.statements = statements;
    }

    /** What was read before counts no more: the files may be others now. */
    public static void readAnew() {
        Statements.SHARED.clear();
    }

    /** By what they are called. */
    public static Map<String, String> of(String dialect) {
        readAnew();
        return new EffectiveTexts(Statements.load(DialectFolder.named(dialect), "dibs_")).all();
    }

    private Map<String, String> all() {
        Map<String, String> texts = new LinkedHashMap<>();
        statements
                .names()
                .forEach(name -> texts.put(name, statements.steps(name).toString()));
        statements.templates.forEach((file, template) ->
                template.forEach((name, steps) -> texts.put(file + " " + name, expanded(joined(steps)))));
        chosenByCallers().forEach(name -> texts.put("{" + name + "}", expanded("{" + name + "}")));
        return texts;
    }

    private static String joined(Collection<StatementFile.Step> steps) {
        return steps.stream().map(StatementFile.Step::text).collect(Collectors.joining("\n"));
    }

    /** Those which no standard text names: Java does. */
    private static Set<String> chosenByCallers() {
        Set<String> chosen = new TreeSet<>();
        List<StatementFile> files =
                Statements.TEMPLATES.stream().map(DialectFolder.STANDARD::read).toList();
        files.forEach(file -> chosen.addAll(file.fragments.keySet()));
        files.stream()
                .flatMap(file -> Stream.concat(
                        file.fragments.values().stream(),
                        file.statements.values().stream().map(EffectiveTexts::joined)))
                .flatMap(text -> FRAGMENT.matcher(text).results())
                .forEach(found -> chosen.remove(found.group(1)));
        return chosen;
    }

    private String expanded(String text) {
        String expanded = text;
        for (int depth = 0; depth < 5; depth++) {
            expanded = FRAGMENT.matcher(expanded)
                    .replaceAll(found ->
                            Matcher.quoteReplacement(statements.fragments.getOrDefault(found.group(1), found.group())));
        }
        return expanded;
    }
}
