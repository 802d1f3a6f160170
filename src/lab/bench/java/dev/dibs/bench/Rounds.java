package dev.dibs.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Compares operations in short rounds in which they take turns, so that a slow phase of the machine slows all of them. A round gives a
 * ratio to the first operation; the median over all rounds is the result.
 */
final class Rounds {
    /** Turns of ten slices each: with one of them, the compiler was still at work while the first rounds were measured. */
    private static final int WARM_UP = 2;

    private final int rounds;
    private final Duration slice;
    private final int threads;
    private final List<Contender> contenders = new ArrayList<>();
    private Operation preparation = () -> {};

    /**
     * Without contenders yet.
     *
     * @param slice how long each one runs in a round
     */
    Rounds(int rounds, Duration slice, int threads) {
        this.rounds = rounds;
        this.slice = slice;
        this.threads = threads;
    }

    private static final class Contender {
        final String name;
        final List<Operation> operations;
        final Timings timings = new Timings();
        final double[] times;

        Contender(String name, List<Operation> operations, int rounds) {
            this.name = name;
            this.operations = operations;
            this.times = new double[rounds];
        }
    }

    /**
     * The result for one operation.
     *
     * @param perSecond by all threads together, in the median round
     * @param p50 the median of all single operations, in milliseconds
     * @param ratio its time over that of the first operation, in the median round
     * @param low the lower quartile of the rounds' ratios
     * @param high the upper quartile
     */
    record Result(String name, double perSecond, double p50, double p99, double ratio, double low, double high) {}

    /** Runs before each turn and is not measured. */
    Rounds before(Operation operation) {
        preparation = operation;
        return this;
    }

    /** The others are compared with the first one. */
    Rounds compare(String name, IntFunction<Operation> byThread) {
        List<Operation> operations = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            operations.add(byThread.apply(thread));
        }
        contenders.add(new Contender(name, operations, rounds));
        return this;
    }

    List<Result> run() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int turn = 0; turn < WARM_UP; turn++) {
                for (Contender contender : contenders) {
                    runOnce(contender, pool, slice.multipliedBy(10), new Timings());
                }
            }
            for (int round = 0; round < rounds; round++) {
                for (Contender contender : inTurn(round)) {
                    contender.times[round] = runOnce(contender, pool, slice, contender.timings);
                }
            }
        } finally {
            pool.shutdownNow();
        }
        return contenders.stream().map(this::result).toList();
    }

    /** Back and forth, so that none always follows the same one. */
    private List<Contender> inTurn(int round) {
        List<Contender> order = new ArrayList<>(contenders);
        if (round % 2 == 1) {
            Collections.reverse(order);
        }
        return order;
    }

    /** Returns the seconds of an operation, computed from the throughput. */
    private double runOnce(Contender contender, ExecutorService pool, Duration slice, Timings timings)
            throws Exception {
        preparation.run();
        List<Callable<Timings>> tasks = new ArrayList<>();
        for (Operation operation : contender.operations) {
            tasks.add(() -> repeat(operation, slice.toNanos()));
        }
        long start = System.nanoTime();
        List<Future<Timings>> done = pool.invokeAll(tasks);
        double seconds = (System.nanoTime() - start) / 1e9;
        int count = 0;
        for (Future<Timings> one : done) {
            timings.addAll(one.get());
            count += one.get().size();
        }
        return seconds / count;
    }

    private static Timings repeat(Operation operation, long nanos) throws Exception {
        Timings timings = new Timings();
        long start = System.nanoTime();
        long before = start;
        while (before - start < nanos) {
            operation.run();
            long after = System.nanoTime();
            timings.add(after - before);
            before = after;
        }
        return timings;
    }

    private Result result(Contender contender) {
        double[] ratios = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            ratios[round] = contender.times[round] / contenders.get(0).times[round];
        }
        return new Result(
                contender.name,
                1 / quantile(contender.times, 0.5),
                contender.timings.median(),
                contender.timings.quantile(0.99),
                quantile(ratios, 0.5),
                quantile(ratios, 0.25),
                quantile(ratios, 0.75));
    }

    private static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.round(share * (sorted.length - 1))];
    }
}
