package dev.dibs.internal.sql.files;

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

/** All texts that one database may get, by the current files on the class path; a text that the dialect replaces is not among them. */
public final class EffectiveTexts {

    private static final Pattern FRAGMENT = Pattern.compile("\\{([a-z][a-z0-9_]*)}");

    private final Statements statements;

    private EffectiveTexts(Statements statements) {
        this.statements = statements;
    }

    /** Forgets the files that were read before: they may have changed. */
    public static void readAgain() {
        Statements.SHARED.clear();
    }

    /** By their names. */
    public static Map<String, String> of(String dialect) {
        readAgain();
        return new EffectiveTexts(Statements.load(DialectFolder.named(dialect), "dibs_")).all();
    }

    private Map<String, String> all() {
        Map<String, String> texts = new LinkedHashMap<>();
        statements
                .names()
                .forEach(name -> texts.put(name, statements.steps(name).toString()));
        statements
                .templates()
                .forEach((file, template) ->
                        template.forEach((name, steps) -> texts.put(file + " " + name, expanded(joined(steps)))));
        chosenByCallers().forEach(name -> texts.put("{" + name + "}", expanded("{" + name + "}")));
        return texts;
    }

    private static String joined(Collection<StatementFile.Step> steps) {
        return steps.stream().map(StatementFile.Step::text).collect(Collectors.joining("\n"));
    }

    /** Those that only Java names, and no standard text. */
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
                    .replaceAll(found -> Matcher.quoteReplacement(
                            statements.fragments().getOrDefault(found.group(1), found.group())));
        }
        return expanded;
    }
}
