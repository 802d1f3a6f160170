package dev.dibs.fault;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/** Chooses the next fault: each of them equally often, in an order that depends only on the seed. */
final class FaultPlan {
    private final List<Fault> faults;
    private final int workers;
    private final Pace pace;
    private final Random random;
    private final Deque<Fault> deck = new ArrayDeque<>();

    FaultPlan(List<Fault> faults, int workers, Pace pace, long seed) {
        this.faults = List.copyOf(faults);
        this.workers = workers;
        this.pace = pace;
        this.random = new Random(seed);
    }

    /**
     * The speed of the faults.
     *
     * @param gap from one to the next, at most, in milliseconds
     * @param shortest the shortest length of a fault
     * @param longest the longest length of a fault
     * @param burst how many follow each other before a calm, on average
     */
    record Pace(long gap, long shortest, long longest, int burst) {
        static final Pace SHORT = new Pace(300, 150, 700, 13);
        static final Pace LONG = new Pace(800, 300, 2_800, 8);
    }

    /**
     * One fault.
     *
     * @param gap after the beginning of the one before
     * @param luck the seed for other choices
     */
    record Step(Fault fault, int worker, Duration gap, Duration length, long luck) {}

    /** How many steps it takes until every fault has come once more. */
    int size() {
        return faults.size();
    }

    Step next() {
        if (deck.isEmpty()) {
            List<Fault> shuffled = new ArrayList<>(faults);
            Collections.shuffle(shuffled, random);
            deck.addAll(shuffled);
        }
        Fault fault = deck.remove();
        Duration length = Duration.ofMillis(random.nextLong(pace.shortest(), pace.longest()));
        return new Step(
                fault,
                random.nextInt(workers),
                Duration.ofMillis(random.nextLong(pace.gap())),
                length.compareTo(fault.atLeast()) < 0 ? fault.atLeast() : length,
                random.nextLong());
    }

    /** How many faults follow each other before a calm. */
    int burst() {
        return pace.burst() == 1 ? 1 : pace.burst() - 2 + random.nextInt(5);
    }
}
