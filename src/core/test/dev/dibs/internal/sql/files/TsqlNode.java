package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** A word, or what stands between two parentheses. */
record TsqlNode(String text, List<TsqlNode> inside) {

    private static final Pattern TOKEN =
            Pattern.compile("--[^\n]*|N?'(?:[^']|'')*'|\\[[^]]*]|\"[^\"]*\"|[:@#]*[\\w{}$#@]+|<>|<=|>=|\\S");

    boolean is(String word) {
        return inside == null && text.equalsIgnoreCase(word);
    }

    String word() {
        return inside == null ? text.toUpperCase(Locale.ROOT) : "()";
    }

    boolean isQuery() {
        return inside != null && !inside.isEmpty() && inside.get(0).is("SELECT");
    }

    /** The nodes of a text; adds what is wrong with its parentheses. */
    static List<TsqlNode> read(String text, Set<String> wrong) {
        List<List<TsqlNode>> open = new ArrayList<>(List.of(new ArrayList<>()));
        TOKEN.matcher(text).results().map(found -> found.group()).forEach(token -> {
            if (token.equals("(")) {
                open.add(new ArrayList<>());
            } else if (token.equals(")")) {
                if (open.size() == 1) {
                    wrong.add("a parenthesis that closes nothing");
                    return;
                }
                List<TsqlNode> inside = open.remove(open.size() - 1);
                open.get(open.size() - 1).add(new TsqlNode("", inside));
            } else if (!token.startsWith("--")) {
                open.get(open.size() - 1).add(new TsqlNode(token, null));
            }
        });
        if (open.size() > 1) {
            wrong.add("a parenthesis that is not closed");
        }
        return open.get(0);
    }
}
