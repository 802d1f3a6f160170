package dev.dibs.internal.claims;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One word of SQL of the developer's: a name or keyword, a literal or a sign. Enough to tell which columns a condition names, not
 * to understand it.
 */
record SqlWord(Kind kind, String text, int start, int end) {

    /** What a word is. */
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

    /** By how much it changes how deep in parentheses the next word is. */
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
