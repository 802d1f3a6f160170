package dev.dibs;

/**
 * One thing that {@link Admin#doctor()} or {@link dev.dibs.claims.RowClaims#doctor()} looked at.
 *
 * @param level how much it matters
 * @param subject what was looked at, in a word or two
 * @param message what was found
 * @param remedy what to do about it; empty if nothing is to be done
 */
public record Finding(Level level, String subject, String message, String remedy) {

    /** How much a finding matters, from nothing to everything. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Good to know; no promise is touched. */
        NOTE,
        /** A promise does not hold under some fault, such as a killed database server; or claims get slower as a table grows. */
        WARNING,
        /** Dibs cannot work. */
        ERROR
    }

    @Override
    public String toString() {
        return level + " " + subject + ": " + message + (remedy.isEmpty() ? "" : " -> " + remedy);
    }
}
