package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.values.Strings;
import java.util.HexFormat;

/** A row's key, as the tables of runs store it: a long one is its beginning and a digest, from which the key cannot be told. */
final class StoredKey {

    static final int LIMIT = 400;

    private static final String CUT = "..";
    private static final int DIGEST = 64;
    private static final int BEGINNING = LIMIT - CUT.length() - DIGEST;

    private StoredKey() {}

    static String of(RowKey key) {
        String text = key.toString();
        if (text.length() <= LIMIT) {
            return text;
        }
        // No half of a character that is two units long.
        int end = Character.isHighSurrogate(text.charAt(BEGINNING - 1)) ? BEGINNING - 1 : BEGINNING;
        return text.substring(0, end) + CUT + HexFormat.of().formatHex(Strings.sha256(text));
    }

    /** Whether the text may not be the whole key. */
    static boolean isCut(String stored) {
        return stored.length() >= LIMIT - 1;
    }
}
