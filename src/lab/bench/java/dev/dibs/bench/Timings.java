package dev.dibs.bench;

import java.util.Arrays;

/** Durations in nanoseconds, all of them kept: quantiles are exact. For one thread. */
final class Timings {
    private long[] nanos = new long[1024];
    private int size;

    void add(long duration) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, size * 2);
        }
        nanos[size++] = duration;
    }

    void addAll(Timings others) {
        for (int i = 0; i < others.size; i++) {
            add(others.nanos[i]);
        }
    }

    int size() {
        return size;
    }

    /** The duration that this share of all do not exceed, in milliseconds. */
    double quantile(double share) {
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(size - 1L, Math.round(share * (size - 1)))] / 1e6;
    }

    double median() {
        return quantile(0.5);
    }
}
