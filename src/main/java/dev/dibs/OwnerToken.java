package dev.dibs;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The random token of one attempt to acquire. Two attempts never share one, not even of the same caller. */
final class OwnerToken {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 16;

    private OwnerToken() {}

    /** 128 random bits as 32 hexadecimal digits. */
    static String next() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
