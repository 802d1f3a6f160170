package dev.dibs.fault.history;

import java.util.List;
import java.util.stream.Stream;

/** Changes of rows that their holders did not make: by hand, by force, or by a killed database that forgets. */
final class ForeignChanges {

    /** How long a change whose answer was lost may take to take effect. */
    private static final long LATE = 5_000_000_000L;

    private final List<Operation> all;

    private ForeignChanges(List<Operation> all) {
        this.all = all;
    }

    static ForeignChanges in(History history) {
        return new ForeignChanges(Stream.of(OperationKind.TAMPER, OperationKind.BREAK, OperationKind.CRASH)
                .flatMap(history::of)
                .filter(change -> !change.is(OperationState.FAIL))
                .toList());
    }

    /** What may have happened to a hold's row while or after it was acquired. */
    Stream<Operation> with(Hold hold) {
        return all.stream()
                .filter(change -> isAbout(change, hold))
                .filter(change -> hold.acquire().begun() < over(change));
    }

    private static boolean isAbout(Operation change, Hold hold) {
        return change.kind() == OperationKind.CRASH
                || (change.name().equals(hold.name()) && change.invoke().mode() == hold.mode());
    }

    private static long over(Operation change) {
        if (!change.is(OperationState.UNKNOWN)) {
            return change.ended();
        }
        return (change.outcome() == null ? change.begun() : change.outcome().at()) + LATE;
    }
}
