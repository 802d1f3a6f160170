package dev.dibs.fault.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A granted lease, for as long as its holder could be certain of it: from the answer until its last known deadline, or until an earlier
 * release, or a change of the row by hand.
 */
record Hold(Operation acquire, long from, long until) {

    static List<Hold> of(History history) {
        Map<String, Long> deadlines = new HashMap<>();
        Map<String, Long> ends = new HashMap<>();
        history.of(OperationKind.CHECK)
                .filter(check -> check.is(OperationState.OK))
                .forEach(check ->
                        deadlines.merge(check.invoke().hold(), check.outcome().deadline(), Math::max));
        Stream.concat(history.of(OperationKind.RELEASE), history.of(OperationKind.RECORD))
                .forEach(end -> ends.merge(end.invoke().hold(), end.begun(), Math::min));
        ForeignChanges change = ForeignChanges.in(history);
        List<Hold> holds = new ArrayList<>();
        history.of(OperationKind.ACQUIRE)
                .filter(acquire -> acquire.is(OperationState.OK))
                .forEach(acquire -> {
                    String id = acquire.id();
                    long deadline = Math.max(acquire.outcome().deadline(), deadlines.getOrDefault(id, Long.MIN_VALUE));
                    long end = Math.min(deadline, ends.getOrDefault(id, Long.MAX_VALUE));
                    holds.add(new Hold(acquire, acquire.outcome().at(), end).cut(change));
                });
        return holds;
    }

    private Hold cut(ForeignChanges change) {
        return new Hold(
                acquire, from, change.with(this).mapToLong(Operation::begun).reduce(until, Math::min));
    }

    String name() {
        return acquire.name();
    }

    Mode mode() {
        return acquire.invoke().mode();
    }

    long fence() {
        return acquire.outcome().fence();
    }

    long slot() {
        return acquire.outcome().slot();
    }

    /** The object of fences and exclusion: a name, or one slot of a semaphore. */
    String object() {
        return mode() == Mode.PERMIT ? name() + "#" + slot() : name();
    }

    boolean isEmpty() {
        return until <= from;
    }

    @Override
    public String toString() {
        return acquire.id() + " " + mode() + " of " + object() + " fence " + fence() + " from " + from + " until "
                + until;
    }
}
