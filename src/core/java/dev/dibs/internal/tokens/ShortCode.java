package dev.dibs.internal.tokens;

import java.security.SecureRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

final class ShortCode {

    static final int FEWEST_DIGITS = 6;
    static final int MOST_DIGITS = 10;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Pattern FORM = Pattern.compile("[0-9]{" + FEWEST_DIGITS + "," + MOST_DIGITS + "}");

    private ShortCode() {}

    static String next(int digits) {
        if (digits < FEWEST_DIGITS || digits > MOST_DIGITS) {
            throw new IllegalArgumentException(
                    "a code has " + FEWEST_DIGITS + " to " + MOST_DIGITS + " digits, not " + digits);
        }
        String number = Long.toString(RANDOM.nextLong((long) Math.pow(10, digits)));
        return "0".repeat(digits - number.length()) + number;
    }

    static boolean isOne(@Nullable String text) {
        return text != null
                && text.length() <= MOST_DIGITS
                && FORM.matcher(text).matches();
    }
}
