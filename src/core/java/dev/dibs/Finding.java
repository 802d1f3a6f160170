package dev.dibs;

/**
 * One result of {@link Admin#doctor()} or {@link dev.dibs.claims.RowClaims#doctor()}.
 *
 * @param level how much it matters
 * @param subject the checked thing, in a word or two
 * @param message the finding
 * @param remedy the remedy; empty if none is needed
 */
public record Finding(Level level, String subject, String message, String remedy) {

    /** How much a finding matters, in rising order. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Good to know; all promises hold. */
        NOTE,
        /** A promise does not hold after some fault, such as a killed database server; or claims get slower as a table grows. */
        WARNING,
        /** Dibs cannot work. */
        ERROR
    }

    @Override
    public String toString() {
        return level + " " + subject + ": " + message + (remedy.isEmpty() ? "" : " -> " + remedy);
    }
}
