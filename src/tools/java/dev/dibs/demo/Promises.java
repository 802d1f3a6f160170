package dev.dibs.demo;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Checks in the database whether the promises of Dibs were kept. */
final class Promises {

    /**
     * One promise.
     *
     * @param broken the message for each row that the statement finds
     * @param statement finds the files, or workers, for which it was broken
     */
    private record Promise(String broken, String statement) {}

    private static final int SHOWN = 5;

    private static final List<Promise> ALL = List.of(
            new Promise("never done", "find_never_done"),
            new Promise("done more than once", "find_done_again"),
            new Promise("has a result but is not marked as done", "find_half_done"),
            new Promise("the broken jar was not given up as dead", "find_planted_alive"),
            new Promise("a killed or paused worker did a row that another one had taken over", "find_late_result"),
            new Promise("the paused worker did not try its late write", "find_not_tried"),
            new Promise("done while the run was paused", "find_done_in_break"),
            new Promise("a later lease had a fence that was not greater", "find_fence_not_grown"),
            new Promise("a report got in although another worker had taken over", "find_late_report"),
            new Promise("the late report of the paused worker was not refused", "find_not_refused"));

    private Promises() {}

    /**
     * The broken promises, one a line.
     *
     * @param faults the number of workers that should have had an incident
     */
    static List<String> broken(Store store, int faults) throws SQLException {
        List<String> broken = new ArrayList<>();
        for (Promise promise : ALL) {
            List<String> names = store.query(promise.statement(), row -> row.getString(1));
            if (!names.isEmpty()) {
                broken.add(promise.broken() + ": " + some(names));
            }
        }
        int struck = store.query("list_faults", row -> row.getString(1)).size();
        if (struck < faults) {
            broken.add("only " + struck + " of " + faults + " faults could be staged, so that not all was shown");
        }
        if (store.query("list_breaks", row -> row.getLong(1)).isEmpty()) {
            broken.add("the run was not paused, so that not all was shown");
        }
        return broken;
    }

    private static String some(List<String> names) {
        String shown = String.join(", ", names.subList(0, Math.min(SHOWN, names.size())));
        return names.size() > SHOWN ? shown + " and " + (names.size() - SHOWN) + " more" : shown;
    }
}
