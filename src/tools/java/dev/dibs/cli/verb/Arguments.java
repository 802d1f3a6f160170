package dev.dibs.cli.verb;

/** Words of the command line. */
public final class Arguments {

    /** The JVM's replacement for bytes that mean nothing in the locale's encoding. */
    private static final char REPLACEMENT = '\uFFFD';

    private Arguments() {}

    /**
     * Returns the word, if it arrived as it was typed. Jobs often start without a locale. Then all letters beyond ASCII look the same, and
     * two names would be one lock.
     */
    public static String readable(String what, String word) {
        if (word.indexOf(REPLACEMENT) >= 0) {
            throw new UsageError(
                    "the " + what + " '" + word + "' has characters that cannot be read in this locale's encoding, "
                            + System.getProperty("sun.jnu.encoding") + "; set LC_ALL=C.UTF-8 or another UTF-8 locale");
        }
        return word;
    }
}
