package dev.dibs.advice;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One word of the user's SQL: a name or keyword, a literal or a sign. It is enough to find the columns that a condition names, not to
 * understand the condition.
 */
record SqlWord(Kind kind, String text, int start, int end) {

    /** The kind of a word. */
    enum Kind {
        NAME,
        LITERAL,
        SIGN
    }

    private static final Pattern WORD = Pattern.compile("(?<literal>'[^']*+(?:''[^']*+)*+'|\\d[\\w.]*)"
            + "|(?<name>[\\p{L}_][\\p{L}\\p{N}_$#]*|\"[^\"]+\"|`[^`]+`|\\[[^]]+])"
            + "|(?<sign>::|<=|>=|<>|!=|\\S)");

    /** All words of a text. */
    static List<SqlWord> of(String text) {
        List<SqlWord> words = new ArrayList<>();
        Matcher word = WORD.matcher(text);
        while (word.find()) {
            Kind kind =
                    word.group("literal") != null ? Kind.LITERAL : word.group("name") != null ? Kind.NAME : Kind.SIGN;
            words.add(new SqlWord(kind, word.group(), word.start(), word.end()));
        }
        return words;
    }

    boolean isName() {
        return kind == Kind.NAME;
    }

    boolean is(String keywordOrSign) {
        return kind != Kind.LITERAL && text.equalsIgnoreCase(keywordOrSign);
    }

    /** The change of the depth of parentheses after this word. */
    int depth() {
        if (is("(") || is("CASE")) {
            return 1;
        }
        return is(")") || is("END") ? -1 : 0;
    }

    String upper() {
        return text.toUpperCase(Locale.ROOT);
    }
}
