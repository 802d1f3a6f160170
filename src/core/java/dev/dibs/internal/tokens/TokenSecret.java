package dev.dibs.internal.tokens;

import dev.dibs.internal.values.Strings;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The text of a token: 256 random bits, and the digest under which it is stored. */
final class TokenSecret {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;

    /** 43 characters of base64url, RFC 4648 §5, without padding. */
    private static final int LENGTH = 43;

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{" + LENGTH + "}");

    private TokenSecret() {}

    static String next() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return text(bytes);
    }

    static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Whether the text has the form of a token. Other texts of any length are unknown tokens. */
    static boolean isOne(@Nullable String text) {
        return text != null && text.length() == LENGTH && FORM.matcher(text).matches();
    }

    /** The SHA-256 of its characters. It needs neither salt nor a slow hash: 256 random bits cannot be guessed. */
    static byte[] digest(String token) {
        return Strings.sha256(token);
    }
}
