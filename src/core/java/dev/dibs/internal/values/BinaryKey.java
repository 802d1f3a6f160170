package dev.dibs.internal.values;

import java.util.HexFormat;
import java.util.Locale;

/**
 * The text of a binary key: hexadecimal digits in lower case, and that of a UUID for 16 bytes. Hibernate and others keep a UUID so, and people
 * search for it by its usual text.
 */
public final class BinaryKey {

    private static final int UUID_DIGITS = 32;

    private BinaryKey() {}

    public static String text(byte[] bytes) {
        return text(HexFormat.of().formatHex(bytes));
    }

    /** The same for hexadecimal digits in any case. */
    public static String text(String hex) {
        String digits = hex.toLowerCase(Locale.ROOT);
        if (digits.length() != UUID_DIGITS) {
            return digits;
        }
        return new StringBuilder(digits)
                .insert(20, '-')
                .insert(16, '-')
                .insert(12, '-')
                .insert(8, '-')
                .toString();
    }

    /** The hexadecimal digits of a text. */
    public static String hex(String text) {
        return text.replace("-", "");
    }

    /**
     * The bytes of a text.
     *
     * @throws IllegalArgumentException if it is not hexadecimal
     */
    public static byte[] bytes(String text) {
        return HexFormat.of().parseHex(hex(text));
    }
}
