package dev.dibs.fault.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A holder of a name with a minimum hold keeps all others out for that time, whatever happens to itself. */
final class HoldAtLeastRule implements Rule {
    /** The database counts whole milliseconds. */
    private static final long ROUNDING = 2_000_000;

    private final Map<String, Duration> atLeast;

    /** The minimum hold of each name. */
    HoldAtLeastRule(Map<String, Duration> atLeast) {
        this.atLeast = atLeast;
    }

    @Override
    public List<String> broken(History history, Effects effects) {
        List<String> broken = new ArrayList<>();
        ForeignChanges change = ForeignChanges.in(history);
        Hold.of(history).stream()
                .filter(hold -> atLeast.containsKey(hold.name()) && !hold.isEmpty())
                .collect(Collectors.groupingBy(Hold::name))
                .forEach((name, holds) -> check(holds, atLeast.get(name).toNanos(), change, broken));
        return broken;
    }

    /** A grant came after the acquire was sent, so it certainly lasts that long from then on. */
    private static void check(List<Hold> holds, long atLeast, ForeignChanges change, List<String> broken) {
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
}
