package dev.dibs.sql;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Takes passwords out of what is printed: those that were given to us, wherever they show up, and in urls whatever looks
 * like one.
 *
 * <p>For one thread.
 */
public final class Secrets {

    private static final String MASK = "***";

    /** Shorter ones are found only where they stand in a url: else they would blot out half of every message. */
    private static final int SHORTEST_WORD = 5;

    private static final String KEY = "[\\w.-]*(?:pass|pwd|secret|token)[\\w.-]*";
    private static final int DEEPEST = 5;
    private static final int FLAGS = Pattern.CASE_INSENSITIVE;

    /** As H2 ends a message: the statement, and a number. */
    private static final Pattern STATEMENT =
            Pattern.compile("; SQL statement:\\R.*?(?= \\[[0-9]+-[0-9]+])", Pattern.DOTALL);

    /** In a url that stands alone, a value goes up to the next separator, blanks included. */
    private static final Pattern IN_URL = Pattern.compile("(" + KEY + "\\s*=\\s*)(\\{[^}]*}|[^;&]*)", FLAGS);

    /** In other text it ends at a blank. */
    private static final Pattern IN_TEXT =
            Pattern.compile("(" + KEY + "\\s*=\\s*)(\\{[^}]*}|\"[^\"]*\"|[^;&,\\s\"']*)", FLAGS);

    /** As in //user:password@host and thin:user/password@host. */
    private static final Pattern BEFORE_HOST =
            Pattern.compile("(//[^\\s/:@;?]*:|jdbc:oracle:\\w+:[^\\s/@]*/)(\\S*)(?=@)", FLAGS);

    /** As in user:password@host, at the beginning of what should have been a url. */
    private static final Pattern AT_BEGINNING = Pattern.compile("^([^\\s/:@;?=]+:)([^\\s/@]*)(?=@)", FLAGS);

    private final Set<String> urls = new LinkedHashSet<>();
    private final Set<String> words = new LinkedHashSet<>();

    /** Knows none yet. */
    public Secrets() {}

    /** Remembers what must not be printed. */
    public void learn(@Nullable String url, @Nullable String password) {
        if (url != null && !url.isEmpty()) {
            urls.add(url);
            learnFrom(IN_URL.matcher(url));
            learnFrom(BEFORE_HOST.matcher(url));
            learnFrom(AT_BEGINNING.matcher(url));
        }
        learnWord(password);
    }

    private void learnFrom(Matcher matcher) {
        while (matcher.find()) {
            learnWord(matcher.group(2));
        }
    }

    private void learnWord(@Nullable String word) {
        if (word != null && word.length() >= SHORTEST_WORD) {
            words.add(word);
            if (word.indexOf('%') >= 0) {
                learnDecoded(word);
            }
        }
    }

    private void learnDecoded(String word) {
        try {
            words.add(URLDecoder.decode(word, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            // A percent sign that is just one.
        }
    }

    /** The url without its passwords. */
    public static String maskUrl(String url) {
        String masked =
                BEFORE_HOST.matcher(IN_URL.matcher(url).replaceAll("$1" + MASK)).replaceAll("$1" + MASK);
        return AT_BEGINNING.matcher(masked).replaceAll("$1" + MASK);
    }

    /** The text without passwords. */
    public String mask(String text) {
        String masked = text;
        for (String url : urls) {
            masked = masked.replace(url, maskUrl(url));
        }
        masked = IN_TEXT.matcher(masked).replaceAll("$1" + MASK);
        masked = BEFORE_HOST.matcher(masked).replaceAll("$1" + MASK);
        for (String word : words) {
            masked = masked.replace(word, MASK);
        }
        return masked;
    }

    /**
     * The message of a driver's exception, which may quote a url, without what looks like a password in it, and without the statement
     * where a driver repeats it.
     */
    public static String masked(Throwable e) {
        String message = withoutStatement(new Secrets().mask(String.valueOf(e.getMessage())))
                .strip();
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }

    /**
     * The same, with what lies below: why no connection could be had, as a pool says only that it has none. Not for a statement, whose
     * causes may quote rows.
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
    public static String withoutStatement(String message) {
        return STATEMENT.matcher(message).replaceAll("");
    }
}
