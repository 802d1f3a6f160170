package dev.dibs.fault.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Collectors;

/** What is held: fences, exclusion, and times. */
final class HoldRules {
    /** The database counts whole milliseconds. */
    private static final long ROUNDING = 2_000_000;

    private HoldRules() {}

    /**
     * A later grant of a name has a greater fence, and no two have the same. Readers share the fence of their gate: it is at least an earlier
     * writer's, and less than every later one's. A hold whose row was changed by hand before its answer, which had been lost, does not count.
     */
    static void fences(List<Hold> all, List<String> broken) {
        all.stream()
                .filter(hold -> !hold.isEmpty())
                .collect(Collectors.groupingBy(Hold::object))
                .values()
                .forEach(holds -> {
                    checkTwins(holds, broken);
                    checkOrder(holds, broken);
                });
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

    /**
     * Nothing was granted while another holder could still be certain of it: one holder of a lock, of a slot and of a run, no reader beside a
     * writer, and no more permits than there are.
     */
    static void exclusion(List<Hold> all, Map<String, Long> permits, List<String> broken) {
        all.stream()
                .collect(Collectors.groupingBy(Hold::object))
                .values()
                .forEach(same -> checkExclusion(same, broken));
        all.stream()
                .filter(hold -> hold.mode() == Mode.PERMIT)
                .collect(Collectors.groupingBy(Hold::name))
                .forEach((name, of) -> checkPermits(of, permits.get(name), broken));
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

    /** A holder of a name with a minimum hold keeps all others out for that time, whatever happens to itself. */
    static void minimum(History history, List<Hold> all, Map<String, Duration> atLeast, List<String> broken) {
        ForeignChanges change = ForeignChanges.in(history);
        all.stream()
                .filter(hold -> atLeast.containsKey(hold.name()) && !hold.isEmpty())
                .collect(Collectors.groupingBy(Hold::name))
                .forEach((name, holds) -> checkMinimum(holds, atLeast.get(name).toNanos(), change, broken));
    }

    /** A grant came after the acquire was sent, so it certainly lasts that long from then on. */
    private static void checkMinimum(List<Hold> holds, long atLeast, ForeignChanges change, List<String> broken) {
        List<Hold> byFence = new ArrayList<>(holds);
        byFence.sort(Comparator.comparingLong(Hold::fence));
        for (int i = 0; i < byFence.size(); i++) {
            Hold earlier = byFence.get(i);
            long busy = earlier.acquire().begun() + atLeast - ROUNDING;
            for (Hold later : byFence.subList(i + 1, byFence.size())) {
                if (later.from() < busy && change.with(earlier).noneMatch(meddled -> meddled.begun() < later.from())) {
                    broken.add("sooner than it was to be held: " + earlier + ", then " + later);
                }
            }
        }
    }

    /** After a recorded success, no other run begins before a period is over. */
    static void period(History history, List<Hold> all, long period, List<String> broken) {
        Map<String, Operation> recorded = new HashMap<>();
        history.of(OperationKind.RECORD)
                .filter(record -> record.is(OperationState.OK))
                .forEach(record -> recorded.put(record.invoke().hold(), record));
        all.stream()
                .filter(hold -> hold.mode() == Mode.ONCE)
                .collect(Collectors.groupingBy(Hold::name))
                .values()
                .forEach(runs -> checkPeriod(runs, recorded, period, broken));
    }

    private static void checkPeriod(
            List<Hold> runs, Map<String, Operation> recorded, long period, List<String> broken) {
        List<Hold> byFence = new ArrayList<>(runs);
        byFence.sort(Comparator.comparingLong(Hold::fence));
        Operation last = null;
        for (Hold run : byFence) {
            if (last != null && run.from() < last.begun() + period - ROUNDING) {
                broken.add("twice in a period: " + last + ", then " + run);
            }
            last = recorded.getOrDefault(run.acquire().id(), last);
        }
    }
}
