package dev.dibs.internal.values;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The random token of one attempt to acquire. Every attempt has a new one, also those of one caller. */
public final class OwnerToken {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 16;

    private OwnerToken() {}

    /**
     * The token for one of several rows of one attempt. They all differ; the first one is the token itself.
     *
     * @param index from 0 to 65,535
     */
    public static String nth(String token, int index) {
        int last = token.length() - 4;
        int number = Integer.parseInt(token.substring(last), 16) + index;
        return token.substring(0, last) + HexFormat.of().toHexDigits((short) number);
    }

    /** 128 random bits as 32 hexadecimal digits. */
    public static String next() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
