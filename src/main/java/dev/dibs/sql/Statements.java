package dev.dibs.sql;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * All statements of one dialect, ready to be prepared: the standard files, overlaid by name with those of the dialect's base, if it
 * has one, and with its own.
 *
 * <p>Everything is read and checked once, when the dialect is loaded; a call costs one map look-up.
 */
public final class Statements {

    /** The stems of the files, the same in {@code sql/} and in every dialect's folder. */
    static final List<String> FILES = List.of("dialect", "schema", "locks", "doctor");

    /** The fragment in which a dialect names a relative of which it is an overlay in its turn. */
    private static final String BASE = "base";

    private static final Pattern FRAGMENT = Pattern.compile("\\{([a-z][a-z0-9_]*)}");

    private final Map<String, List<SqlText>> statements;
    private final Map<String, String> fragments;

    private Statements(Map<String, List<SqlText>> statements, Map<String, String> fragments) {
        this.statements = statements;
        this.fragments = fragments;
    }

    /**
     * Reads a dialect.
     *
     * @param folder where its files are
     * @param prefix what stands before every table name: {@code dibs_} or {@code myschema.dibs_}
     * @throws IllegalArgumentException where a file is not in the format or uses a fragment that nobody defines
     */
    public static Statements load(DialectFolder folder, String prefix) {
        Map<String, List<StatementFile.Step>> texts = new LinkedHashMap<>();
        Map<String, String> fragments = new LinkedHashMap<>();
        fragments.put(BASE, "");
        read(DialectFolder.STANDARD, texts, fragments);
        Set<String> standard = Set.copyOf(texts.keySet());
        String base = folder.read("dialect").fragments.getOrDefault(BASE, "");
        if (!base.isEmpty()) {
            read(DialectFolder.named(base), texts, fragments);
        }
        read(folder, texts, fragments);
        requireKnown(folder, texts.keySet(), standard);
        fragments.put("prefix", prefix);
        Map<String, List<SqlText>> parsed = new LinkedHashMap<>();
        texts.forEach((name, steps) -> parsed.put(
                name,
                steps.stream()
                        .map(step -> SqlText.parse(expand(name, step.text(), fragments), step.onlyIfEmpty()))
                        .toList()));
        return new Statements(parsed, fragments);
    }

    private static void read(
            DialectFolder folder, Map<String, List<StatementFile.Step>> texts, Map<String, String> fragments) {
        for (String file : FILES) {
            StatementFile read = folder.read(file);
            texts.putAll(read.statements);
            fragments.putAll(read.fragments);
        }
    }

    /** A misspelt overlay would silently leave the standard statement in force. */
    private static void requireKnown(DialectFolder folder, Set<String> names, Set<String> standard) {
        for (String name : names) {
            if (!standard.contains(name)) {
                throw new IllegalArgumentException(
                        folder + ": there is no standard statement '" + name + "' to overlay");
            }
        }
    }

    private static String expand(String name, String text, Map<String, String> fragments) {
        String expanded = text;
        // A fragment may use others; three levels are more than any dialect needs.
        for (int depth = 0; depth < 3; depth++) {
            expanded = FRAGMENT.matcher(expanded).replaceAll(found -> {
                String value = fragments.get(found.group(1));
                if (value == null) {
                    throw new IllegalArgumentException("statement '" + name + "' uses the fragment {" + found.group(1)
                            + "}, which nobody defines");
                }
                return Matcher.quoteReplacement(value);
            });
        }
        Matcher left = FRAGMENT.matcher(expanded);
        if (left.find()) {
            throw new IllegalArgumentException(
                    "statement '" + name + "' uses the fragment {" + left.group(1) + "}, which goes round in a circle");
        }
        return expanded;
    }

    /** The names of all statements, in the order of the standard files. */
    public Set<String> names() {
        return statements.keySet();
    }

    /** The fragment's text; a setting such as {@code lists} is a fragment too. */
    public String fragment(String name) {
        String text = fragments.get(name);
        if (text == null) {
            throw new IllegalArgumentException("no fragment '" + name + "'");
        }
        return text;
    }

    List<SqlText> steps(String name) {
        List<SqlText> steps = statements.get(name);
        if (steps == null) {
            throw new IllegalArgumentException("no statement '" + name + "'");
        }
        return steps;
    }

    /** Whether the statement is sent in more than one step. */
    public boolean hasSteps(String name) {
        return steps(name).size() > 1;
    }

    /** The tables that the schema files make, in their order. */
    public List<TableText> tables() {
        return statements.keySet().stream()
                .filter(TableText::isOne)
                .map(name -> TableText.of(name, steps(name).get(0).jdbc()))
                .toList();
    }

    /** The statements that make the tables, for a person to read or run. */
    public String ddl() {
        return statements.keySet().stream()
                .filter(TableText::isOne)
                .map(name -> steps(name).get(0).jdbc() + ";\n")
                .collect(Collectors.joining("\n"));
    }
}
