package dev.dibs.text;

import dev.dibs.internal.sql.errors.Secrets;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Passwords that a program was given, and that it must not print anywhere.
 *
 * <p>For one thread.
 */
public final class KnownSecrets {

    /** Shorter passwords are masked only in a URL: else they would mask half of every message. */
    private static final int SHORTEST_WORD = 5;

    private final Set<String> urls = new LinkedHashSet<>();
    private final Set<String> words = new LinkedHashSet<>();

    /** Remembers the passwords that must not be printed. */
    public void learn(@Nullable String url, @Nullable String password) {
        if (url != null && !url.isEmpty()) {
            urls.add(url);
            Secrets.inUrl(url).forEach(this::learnWord);
        }
        learnWord(password);
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
            // A percent sign that encodes nothing.
        }
    }

    /** The text without these passwords, and without anything that looks like one. */
    public String mask(String text) {
        String masked = text;
        for (String url : urls) {
            masked = masked.replace(url, Secrets.maskUrl(url));
        }
        masked = Secrets.maskText(masked);
        for (String word : words) {
            masked = masked.replace(word, Secrets.MASK);
        }
        return masked;
    }
}
