package dev.dibs.conformance;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The result of a check.
 *
 * @param line says it to people
 */
record Verdict(boolean isPassed, String line) {

    /** For the first try. */
    static final Duration LEASE = Duration.ofMillis(1500);

    private static final int TRIES = 4;

    /** Makes the place for one try of a check. */
    interface Arenas {
        Arena with(Duration lease);
    }

    /**
     * Makes the check. A slow machine is no fault of the client, and hides none: a check that took too long for its leases is repeated
     * with longer ones.
     */
    static Verdict of(Check check, Arenas arenas) throws IOException, SQLException, InterruptedException {
        String what = "level " + check.level() + "  " + check.name();
        Duration lease = LEASE;
        for (int tries = 1; ; tries++) {
            try (Arena arena = arenas.with(lease)) {
                run(check, arena, tries == TRIES);
                return new Verdict(true, "ok       " + what);
            } catch (NotOffered e) {
                return new Verdict(true, "skipped  " + what + ": " + e.getMessage());
            } catch (CheckFailed e) {
                return new Verdict(false, "FAILED   " + what + ": " + e.getMessage());
            } catch (CheckVoid e) {
                if (tries == TRIES) {
                    String advice = ". Try again on a machine that is less busy";
                    return new Verdict(false, "VOID     " + what + ": " + e.getMessage() + advice);
                }
                Duration twice = lease.multipliedBy(2);
                lease = e.wanted().compareTo(twice) > 0 ? e.wanted() : twice;
            }
        }
    }

    private static void run(Check check, Arena arena, boolean isLast)
            throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException, InterruptedException {
        try {
            check.trial().run(arena);
        } catch (CheckFailed e) {
            if (!isLast && arena.isSlow()) {
                throw new CheckVoid(arena.wanted(), String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }
}
