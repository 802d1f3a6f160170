package dev.dibs.conformance;

import java.io.IOException;
import java.sql.SQLException;

/**
 * One rule, and how it is tried.
 *
 * @param level of docs/lab/protocol.md
 * @param name for people, and to be chosen by
 */
record Check(int level, String name, Trial trial) {

    /**
     * The same, for a rule that holds only if a client runs all the while: nobody measures for how long it stands still between its answers.
     * Its failure at the first lease is confirmed at a longer one.
     */
    Check confirmed() {
        return new Check(level, name, arena -> {
            try {
                trial.run(arena);
            } catch (CheckFailed e) {
                if (arena.lease().compareTo(Verdict.LEASE) > 0) {
                    throw e;
                }
                throw new CheckVoid(arena.wanted(), String.valueOf(e.getMessage()));
            }
        });
    }

    /** Tries it. */
    interface Trial {

        /**
         * Returns if the client keeps the rule.
         *
         * @throws CheckFailed if it breaks the rule
         * @throws CheckVoid if it took too long to prove anything
         * @throws NotOffered if it does not do such a thing
         */
        void run(Arena arena)
                throws CheckFailed, CheckVoid, NotOffered, IOException, SQLException, InterruptedException;
    }
}
