package dev.dibs.internal.tokens;

import dev.dibs.internal.values.Arguments;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The application's secret that is not in the database. A code has so few digits that a reader of the table could find it by its plain
 * digest; with this key, the digest does not reveal it.
 */
final class Pepper {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SHORTEST = 16;

    private final SecretKeySpec key;

    Pepper(byte[] secret) {
        if (Arguments.required("pepper", secret).length < SHORTEST) {
            throw new IllegalArgumentException("the pepper has " + secret.length + " bytes; it must have at least "
                    + SHORTEST + " that are random and kept outside of the database");
        }
        key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** The keyed hash of the parts, which must not contain NUL. */
    byte[] hash(String... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(String.join("\0", parts).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }
}
