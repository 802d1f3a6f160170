package dev.dibs.internal.sql.errors;

import dev.dibs.internal.values.Strings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Removes what looks like a password from texts that are printed. */
public final class Secrets {

    /** In place of a password. */
    public static final String MASK = "***";

    /** A longer message would only cost time to search. */
    private static final int LONGEST_MESSAGE = 4000;

    private static final int DEEPEST = 5;

    private static final int FLAGS = Pattern.CASE_INSENSITIVE;

    // The texts may come from a stranger. So no pattern reads the same characters again from each place: it reads a
    // word once, from its beginning, and never shortens it.

    private static final Pattern KEY_IN_URL = Pattern.compile("(?<![\\w.-])([\\w.-]++)\\s*+=\\s*+");

    /** A word that ends with a colon, as in "FATAL: ..", is not the value of the key before it. */
    private static final Pattern KEY_IN_TEXT =
            Pattern.compile("(?<![\\w.-])([\\w.-]++)\\s*+=(?:\\s++(?![\\w.$-]++:(?:\\s|\\z)))?+");

    private static final Pattern SECRET_KEY = Pattern.compile("pass|pwd|secret|token|clientkey|accesskey", FLAGS);

    /** In a URL that stands alone, a value ends at the next separator, blanks included. */
    private static final Pattern VALUE_IN_URL = Pattern.compile("\\{[^}]*+}?|[^;&]*+");

    /**
     * In other text, it ends at a blank, or at a colon before one. At the end of a quotation there is no value: the quoted text ends with
     * the key.
     */
    private static final Pattern VALUE_IN_TEXT = Pattern.compile(
            "(?![\"'][,.;:)]?(?:\\s|\\z))" + "(?:\\{[^}]*+}?|\"[^\"]*+\"?|'[^']*+'?|(?:[^;&,\\s\"':]++|:(?!\\s))*+)");

    private static final Pattern WORD = Pattern.compile("\\S++");

    /** As in //user:password@host and thin:user/password@host. */
    private static final Pattern USER = Pattern.compile("//[^/:@;?]*+:|jdbc:oracle:\\w++:[^/@]{0,128}+/", FLAGS);

    /** The end of a message of H2: the statement, and a number. */
    private static final Pattern STATEMENT = Pattern.compile("; SQL statement:\\R");

    private static final Pattern NUMBER = Pattern.compile(" \\[[0-9]++-[0-9]++]");

    /** As in user:password@host, at the beginning of a text that should have been a URL. */
    private static final Pattern AT_BEGINNING = Pattern.compile("^([^\\s/:@;?=]+:)([^\\s/@]*)(?=@)", FLAGS);

    private Secrets() {}

    /** The passwords in a URL. */
    public static List<String> inUrl(String url) {
        List<String> found = new ArrayList<>();
        afterKeys(url, KEY_IN_URL, VALUE_IN_URL).forEach(part -> found.add(part.of(url)));
        beforeHosts(url).forEach(part -> found.add(part.of(url)));
        Matcher first = AT_BEGINNING.matcher(url);
        if (first.find()) {
            found.add(first.group(2));
        }
        return found;
    }

    /** The URL without its passwords. */
    public static String maskUrl(String url) {
        return AT_BEGINNING.matcher(masked(url, KEY_IN_URL, VALUE_IN_URL)).replaceAll("$1" + MASK);
    }

    /** The text without anything that looks like a password. The time grows in proportion to its length. */
    public static String maskText(CharSequence text) {
        return masked(text, KEY_IN_TEXT, VALUE_IN_TEXT);
    }

    /**
     * The beginning of the message of a driver's exception, which may quote a URL. Anything that looks like a password is masked, and the
     * statement is removed where a driver repeats it.
     */
    public static String masked(Throwable e) {
        String message = withoutStatement(String.valueOf(Strings.of(e, Throwable::getMessage)))
                .strip();
        return maskText(cut(message.endsWith(".") ? message.substring(0, message.length() - 1) : message));
    }

    /**
     * The same with the causes: they say why there was no connection, which a pool's message does not. Not for a statement, whose causes
     * may quote rows.
     */
    public static String maskedToTheRoot(Throwable e) {
        Set<String> messages = new LinkedHashSet<>();
        for (Throwable t = e; t != null && messages.size() < DEEPEST; t = t.getCause()) {
            String message = masked(t);
            String named = t instanceof SQLException ? message : t.getClass().getSimpleName() + ": " + message;
            if (messages.stream().noneMatch(known -> known.contains(message))) {
                messages.add(named);
            }
        }
        return String.join(": ", messages);
    }

    /** A message without the statement that H2 repeats in it. */
    public static String withoutStatement(CharSequence message) {
        List<Part> statements = new ArrayList<>();
        Matcher statement = STATEMENT.matcher(message);
        Matcher number = NUMBER.matcher(message);
        int from = 0;
        while (statement.find(from) && number.find(statement.end())) {
            statements.add(new Part(statement.start(), number.start()));
            from = number.start();
        }
        return replaced(message, statements, "");
    }

    /** Ends with a whole word: half a URL may have a password without the characters that identify it. */
    private static String cut(String message) {
        if (message.length() <= LONGEST_MESSAGE) {
            return message;
        }
        int end = LONGEST_MESSAGE;
        while (end > 0 && !Character.isWhitespace(message.charAt(end))) {
            end--;
        }
        return message.substring(0, end) + " ..";
    }

    private static String masked(CharSequence text, Pattern key, Pattern value) {
        String masked = replaced(text, afterKeys(text, key, value), MASK);
        return replaced(masked, beforeHosts(masked), MASK);
    }

    private static List<Part> afterKeys(CharSequence text, Pattern keys, Pattern values) {
        List<Part> found = new ArrayList<>();
        Matcher key = keys.matcher(text);
        Matcher secret = SECRET_KEY.matcher(text);
        Matcher value = values.matcher(text);
        int from = 0;
        while (key.find(from)) {
            from = key.end();
            boolean isSecret = secret.region(key.start(1), key.end(1)).find();
            if (isSecret && value.region(from, text.length()).lookingAt() && value.end() > from) {
                from = value.end();
                found.add(new Part(value.start(), from));
            }
        }
        return found;
    }

    /** A password may contain the sign before the host: it ends at the last such sign of the word. */
    private static List<Part> beforeHosts(CharSequence text) {
        List<Part> found = new ArrayList<>();
        Matcher word = WORD.matcher(text);
        Matcher user = USER.matcher(text);
        while (word.find()) {
            int host = word.end() - 1;
            while (host > word.start() && text.charAt(host) != '@') {
                host--;
            }
            if (user.region(word.start(), host).find()) {
                found.add(new Part(user.end(), host));
            }
        }
        return found;
    }

    private static String replaced(CharSequence text, List<Part> parts, String by) {
        StringBuilder kept = new StringBuilder(text.length());
        int from = 0;
        for (Part part : parts) {
            kept.append(text, from, part.start).append(by);
            from = part.end;
        }
        return kept.append(text, from, text.length()).toString();
    }

    /** The start and the end of a part of a text. */
    private record Part(int start, int end) {
        String of(String text) {
            return text.substring(start, end);
        }
    }
}
