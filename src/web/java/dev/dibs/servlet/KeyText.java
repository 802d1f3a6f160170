package dev.dibs.servlet;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** The part of a key that goes into the lock's name. The key may be anything that a stranger sends. */
final class KeyText {

    /** Half of a name's length; the other half is for the kind. */
    static final int LONGEST = 100;

    /** A key that begins with this character is digested, too. So nobody can send the digest of another key. */
    private static final char MARK = '#';

    private KeyText() {}

    /** The key itself if it is short and safe to read, otherwise its digest. Different keys have different texts. */
    static String of(String key, boolean secret) {
        return secret || key.length() > LONGEST || key.charAt(0) == MARK || !isPlain(key) ? digest(key) : key;
    }

    /** Whether it has no line end, which could forge a log, no NUL, and no half of a character. */
    private static boolean isPlain(String key) {
        return key.codePoints()
                .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
    }

    /** The digest of its 16-bit units: an encoding would turn every invalid character into the same '?'. */
    private static String digest(String key) {
        byte[] units = new byte[2 * key.length()];
        for (int i = 0; i < key.length(); i++) {
            units[2 * i] = (byte) (key.charAt(i) >> 8);
            units[2 * i + 1] = (byte) key.charAt(i);
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(units);
            return MARK + Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
