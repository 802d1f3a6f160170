package dev.dibs.bench;

import java.time.Duration;
import java.util.List;

/** The thoroughness of a run, and its parts: {@code -Dbench.quick=true}, {@code -Dbench.only=locks,cost}. */
record Settings(boolean quick, List<String> only) {

    static Settings fromSystem() {
        String only = System.getProperty("bench.only", "");
        return new Settings(Boolean.getBoolean("bench.quick"), only.isEmpty() ? List.of() : List.of(only.split(",")));
    }

    boolean wants(String part) {
        return only.isEmpty() || only.contains(part);
    }

    /** Whether this run may be published as the measured result. */
    boolean isComplete() {
        return !quick && only.isEmpty();
    }

    int rounds() {
        return quick ? 15 : 31;
    }

    Duration slice() {
        return Duration.ofMillis(quick ? 60 : 100);
    }

    /** To be processed in one round of {@link RunBench}. */
    int rows() {
        return quick ? 5_000 : 20_000;
    }

    /** Rounds of {@link RunBench}, which take seconds each. */
    int runRounds() {
        return quick ? 1 : 5;
    }
}
