package dev.dibs.fault.history;

import java.util.List;
import java.util.stream.Stream;

/** Changes of rows without their holders: by hand, by force, or by a killed database that forgets. */
final class Meddling {

    /** How long a change whose answer was lost may take to take effect. */
    private static final long LATE = 5_000_000_000L;

    private final List<Operation> all;

    private Meddling(List<Operation> all) {
        this.all = all;
    }

    static Meddling in(History history) {
        return new Meddling(Stream.of(Act.TAMPER, Act.BREAK, Act.CRASH)
                .flatMap(history::of)
                .filter(meddling -> !meddling.is(Stage.FAIL))
                .toList());
    }

    /** What may have happened to a hold's row while or after it was acquired. */
    Stream<Operation> with(Hold hold) {
        return all.stream()
                .filter(meddling -> isAbout(meddling, hold))
                .filter(meddling -> hold.acquire().begun() < over(meddling));
    }

    private static boolean isAbout(Operation meddling, Hold hold) {
        return meddling.act() == Act.CRASH
                || (meddling.name().equals(hold.name()) && meddling.invoke().mode() == hold.mode());
    }

    private static long over(Operation meddling) {
        if (!meddling.is(Stage.UNKNOWN)) {
            return meddling.ended();
        }
        return (meddling.outcome() == null
                        ? meddling.begun()
                        : meddling.outcome().at())
                + LATE;
    }
}
