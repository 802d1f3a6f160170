package dev.dibs.fault.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Collectors;

/**
 * Nothing was granted while another holder could still be certain of it: one holder of a lock, of a slot and of a run, no reader beside a
 * writer, and no more permits than there are.
 */
final class HoldRule implements Rule {
    private final Map<String, Long> permits;

    /** The number of permits of each semaphore. */
    HoldRule(Map<String, Long> permits) {
        this.permits = permits;
    }

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        List<Hold> holds = Hold.of(history);
        holds.stream()
                .collect(Collectors.groupingBy(Hold::object))
                .values()
                .forEach(same -> checkExclusion(same, broken));
        holds.stream()
                .filter(hold -> hold.mode() == Mode.PERMIT)
                .collect(Collectors.groupingBy(Hold::name))
                .forEach((name, of) -> checkPermits(of, permits.get(name), broken));
        return broken;
    }

    /** Visits the holds by their beginning. Of the earlier ones, only the latest ends matter, of readers and of others. */
    private static void checkExclusion(List<Hold> holds, List<String> broken) {
        Hold reader = null;
        Hold other = null;
        for (Hold hold : byBeginning(holds)) {
            for (Hold earlier : new Hold[] {reader, other}) {
                if (earlier != null && earlier.mode().excludes(hold.mode()) && earlier.until() > hold.from()) {
                    broken.add("two at a time: " + earlier + ", and " + hold);
                }
            }
            if (hold.mode() == Mode.READER) {
                reader = longer(reader, hold);
            } else {
                other = longer(other, hold);
            }
        }
    }

    private static void checkPermits(List<Hold> holds, long most, List<String> broken) {
        PriorityQueue<Hold> live = new PriorityQueue<>(Comparator.comparingLong(Hold::until));
        for (Hold hold : byBeginning(holds)) {
            while (!live.isEmpty() && live.peek().until() <= hold.from()) {
                live.remove();
            }
            live.add(hold);
            if (live.size() > most) {
                broken.add("more than " + most + " permits: " + live);
            }
            if (hold.slot() < 0 || hold.slot() >= most) {
                broken.add("no such slot of " + most + ": " + hold);
            }
        }
    }

    private static List<Hold> byBeginning(List<Hold> holds) {
        return holds.stream()
                .filter(hold -> !hold.isEmpty())
                .sorted(Comparator.comparingLong(Hold::from))
                .toList();
    }

    private static Hold longer(Hold one, Hold other) {
        return one == null || other.until() > one.until() ? other : one;
    }
}
