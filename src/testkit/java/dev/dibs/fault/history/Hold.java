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
        history.of(Act.CHECK)
                .filter(check -> check.is(Stage.OK))
                .forEach(check ->
                        deadlines.merge(check.invoke().hold(), check.outcome().deadline(), Math::max));
        Stream.concat(history.of(Act.RELEASE), history.of(Act.RECORD))
                .forEach(end -> ends.merge(end.invoke().hold(), end.begun(), Math::min));
        Meddling meddling = Meddling.in(history);
        List<Hold> holds = new ArrayList<>();
        history.of(Act.ACQUIRE).filter(acquire -> acquire.is(Stage.OK)).forEach(acquire -> {
            String id = acquire.id();
            long deadline = Math.max(acquire.outcome().deadline(), deadlines.getOrDefault(id, Long.MIN_VALUE));
            long end = Math.min(deadline, ends.getOrDefault(id, Long.MAX_VALUE));
            holds.add(new Hold(acquire, acquire.outcome().at(), end).cut(meddling));
        });
        return holds;
    }

    private Hold cut(Meddling meddling) {
        return new Hold(
                acquire, from, meddling.with(this).mapToLong(Operation::begun).reduce(until, Math::min));
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
