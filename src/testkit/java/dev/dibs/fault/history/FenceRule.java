package dev.dibs.fault.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A later grant of a name has a greater fence, and no two have the same. Readers share the fence of their gate: it is at least an earlier
 * writer's, and less than every later one's. A hold whose row was changed by hand before its answer, which had been lost, does not count.
 */
final class FenceRule implements Rule {

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        Hold.of(history).stream()
                .filter(hold -> !hold.isEmpty())
                .collect(Collectors.groupingBy(Hold::object))
                .values()
                .forEach(holds -> {
                    checkTwins(holds, broken);
                    checkOrder(holds, broken);
                });
        return broken;
    }

    private static void checkTwins(List<Hold> holds, List<String> broken) {
        holds.stream()
                .filter(hold -> hold.mode() != Mode.READER)
                .collect(Collectors.groupingBy(Hold::fence))
                .values()
                .forEach(same -> {
                    if (same.size() > 1) {
                        broken.add("one fence for several: " + same);
                    }
                });
    }

    /** Visits the acquisitions by their beginning, and adds those that had ended before it. */
    private static void checkOrder(List<Hold> holds, List<String> broken) {
        List<Hold> byEnd = new ArrayList<>(holds);
        byEnd.sort(Comparator.comparingLong(Hold::from));
        List<Hold> byBegin = new ArrayList<>(holds);
        byBegin.sort(Comparator.comparingLong(hold -> hold.acquire().begun()));
        Hold highest = null;
        Hold highestWriter = null;
        int ended = 0;
        for (Hold hold : byBegin) {
            for (;
                    ended < byEnd.size()
                            && byEnd.get(ended).from() < hold.acquire().begun();
                    ended++) {
                Hold earlier = byEnd.get(ended);
                highest = higher(highest, earlier);
                highestWriter = earlier.mode() == Mode.READER ? highestWriter : higher(highestWriter, earlier);
            }
            boolean reads = hold.mode() == Mode.READER;
            Hold before = reads ? highestWriter : highest;
            if (before != null && hold.fence() < before.fence() + (reads ? 0 : 1)) {
                broken.add("a fence did not grow: " + before + ", then " + hold);
            }
        }
    }

    private static Hold higher(Hold one, Hold other) {
        return one == null || other.fence() > one.fence() ? other : one;
    }
}
