package dev.dibs.fault.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** After a recorded success, no other run begins before a period is over. */
final class OnceRule implements Rule {
    /** The database counts whole milliseconds. */
    private static final long ROUNDING = 2_000_000;

    private final long period;

    /** The period of all of them, in nanoseconds. */
    OnceRule(long period) {
        this.period = period;
    }

    @Override
    public List<String> broken(History history, Effects effects) {
        Map<String, Operation> recorded = new HashMap<>();
        history.of(OperationKind.RECORD)
                .filter(record -> record.is(OperationState.OK))
                .forEach(record -> recorded.put(record.invoke().hold(), record));
        List<String> broken = new ArrayList<>();
        Hold.of(history).stream()
                .filter(hold -> hold.mode() == Mode.ONCE)
                .collect(Collectors.groupingBy(Hold::name))
                .values()
                .forEach(runs -> check(runs, recorded, broken));
        return broken;
    }

    private void check(List<Hold> runs, Map<String, Operation> recorded, List<String> broken) {
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
