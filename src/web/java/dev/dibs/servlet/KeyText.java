package dev.dibs.servlet;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** What of a key, which may be anything that a stranger sends, is in the lock's name. */
final class KeyText {

    /** Half of what a name may have; the other half is the kind's. */
    static final int LONGEST = 100;

    /** A key that begins so itself is digested, so that nobody can send what another one's digest is. */
    private static final char MARK = '#';

    private KeyText() {}

    /** The key as it is if it is short and harmless to read, otherwise its digest. Different keys have different ones. */
    static String of(String key, boolean secret) {
        return secret || key.length() > LONGEST || key.charAt(0) == MARK || !isPlain(key) ? digest(key) : key;
    }

    /** Without line ends that would forge a log, a NUL, or half a character. */
    private static boolean isPlain(String key) {
        return key.codePoints()
                .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
    }

    /** Of its 16-bit units: an encoding would make one '?' of all that is no character. */
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
