package dev.dibs.demo;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Looks in the database whether what Dibs promises was kept. */
final class Promises {

    /**
     * One promise.
     *
     * @param broken what to say of the directories that the statement finds
     * @param statement finds the directories where it was broken
     */
    private record Promise(String broken, String statement) {}

    private static final int SHOWN = 5;

    private static final List<Promise> ALL = List.of(
            new Promise("never committed", "find_never_committed"),
            new Promise("committed more than once", "find_committed_again"),
            new Promise("a later lease had a fence that was not greater", "find_fence_not_grown"),
            new Promise("taken over while the holder was certain of its lease", "find_taken_too_early"),
            new Promise("left behind by a killed or paused worker, and not taken over", "find_not_taken_over"),
            new Promise("a write got in although another worker had taken over", "find_late_write"),
            new Promise("a struck worker committed under the lease that it had lost", "find_struck_write"),
            new Promise("the late write of the paused worker was not refused", "find_not_refused"));

    private Promises() {}

    /**
     * What was not kept, in a line each.
     *
     * @param faults how many workers were to be struck
     */
    static List<String> broken(Store store, int faults) throws SQLException {
        List<String> broken = new ArrayList<>();
        for (Promise promise : ALL) {
            List<String> paths = store.query(promise.statement(), row -> row.getString(1));
            if (!paths.isEmpty()) {
                broken.add(promise.broken() + ": " + some(paths));
            }
        }
        int struck = store.query("list_faults", row -> row.getString(1)).size();
        if (struck < faults) {
            broken.add("only " + struck + " of " + faults + " faults could be staged, so that not all was shown");
        }
        return broken;
    }

    private static String some(List<String> paths) {
        String shown = String.join(", ", paths.subList(0, Math.min(SHOWN, paths.size())));
        return paths.size() > SHOWN ? shown + " and " + (paths.size() - SHOWN) + " more" : shown;
    }
}
