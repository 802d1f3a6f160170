package dev.dibs.fault;

import dev.dibs.fault.Fault.Heal;
import dev.dibs.fault.Fault.Scope;
import dev.dibs.fault.FaultPlan.Step;
import dev.dibs.fault.worker.WorkerStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Applies faults to a database and its workers by plan: bursts of faults that overlap, and calms in which all workers must work again. */
final class FaultRun {
    /** By then, connections that were given up have ended. */
    private static final Duration SETTLING = Duration.ofMinutes(1);

    private static final Duration HEAL_PATIENCE = Duration.ofMinutes(2);
    private static final long PAUSE = 5;
    /** After a longer pause the whole machine has stood still, and no worker can be blamed for that time. */
    private static final long STANDSTILL = Duration.ofMillis(100).toNanos();

    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final FaultSetup setup;
    private final FaultPlan plan;
    private final List<Active> active = new ArrayList<>();
    private final Map<String, Integer> struck = new TreeMap<>();
    private final List<Duration> recoveries = new ArrayList<>();
    private WorkerStats before;
    private WorkerStats after;

    FaultRun(FaultSetup setup, FaultPlan plan) {
        this.setup = setup;
        this.plan = plan;
    }

    private record Active(Step step, Heal heal, long end) {}

    /** At least one of each fault, and more of them until the time is over. */
    void run(Duration time) throws Exception {
        for (WorkerProcess worker : setup.workers()) {
            worker.start();
        }
        setup.awaitStart();
        awaitWork();
        before = stats();
        long end = System.nanoTime() + time.toNanos();
        while (faults() < plan.size() || System.nanoTime() < end) {
            burst();
            recoveries.add(recover());
            setup.addJobs();
        }
        long settled = System.nanoTime() + SETTLING.toNanos();
        do {
            after = stats();
        } while (!after.isNoMoreThan(before) && System.nanoTime() < settled);
    }

    private void burst() throws Exception {
        int missing = plan.size() - faults();
        for (int left = missing > 0 ? Math.min(plan.burst(), missing) : plan.burst(); left > 0; left--) {
            Step step = plan.next();
            healUntil(System.nanoTime() + step.gap().toNanos());
            for (Active same : List.copyOf(active)) {
                if (excludes(same.step(), step)) {
                    healUntil(same.end());
                }
            }
            strike(step);
        }
        healUntil(active.stream().mapToLong(Active::end).max().orElse(0));
        setup.awaitStart();
    }

    private static boolean excludes(Step one, Step other) {
        Scope scope = one.fault().scope();
        return scope == other.fault().scope() && scope != Scope.NOTHING;
    }

    private void strike(Step step) throws Exception {
        struck.merge(step.fault().name(), 1, Integer::sum);
        WorkerProcess worker = setup.workers().get(step.worker());
        setup.note("begins: " + step);
        long end = System.nanoTime() + step.length().toNanos();
        Heal heal = Patience.until(HEAL_PATIENCE, () -> {
            healDue();
            return step.fault().strike().on(setup, worker, step.length(), new Random(step.luck()));
        });
        active.add(new Active(step, heal, end));
    }

    /** Waits, and meanwhile ends faults that have lasted long enough. */
    private void healUntil(long time) throws Exception {
        while (System.nanoTime() < time) {
            healDue();
            Thread.sleep(PAUSE);
        }
        healDue();
    }

    private void healDue() throws Exception {
        for (Active each : List.copyOf(active)) {
            if (each.end() <= System.nanoTime()) {
                heal(each);
            }
        }
    }

    private void heal(Active each) throws Exception {
        active.remove(each);
        setup.note("ends: " + each.step().fault());
        Patience.until(HEAL_PATIENCE, () -> {
            each.heal().heal();
            return true;
        });
    }

    /** How long it took until all workers worked again. On a busy machine, the time of the same work without a fault is subtracted. */
    private Duration recover() throws Exception {
        setup.note("calm");
        Duration taken = awaitWork();
        Duration recovery = setup.database().recovery();
        if (taken.compareTo(recovery) > 0) {
            Duration undisturbed = awaitWork();
            if (taken.compareTo(recovery.plus(undisturbed.multipliedBy(2))) > 0) {
                throw new AssertionError("It took " + taken + " until all worked again, and undisturbed " + undisturbed
                        + ", after " + struck);
            }
        }
        return taken;
    }

    /** How long it took until every thread of every worker had finished an operation that it began after now. */
    private Duration awaitWork() throws Exception {
        long start = System.nanoTime();
        long looked = start;
        long stoodStill = 0;
        while (!setup.workers().stream().allMatch(worker -> worker.hasWorkedSince(start))) {
            for (WorkerProcess worker : setup.workers()) {
                worker.log().requireGood();
            }
            if (System.nanoTime() - start > LONGEST.toNanos()) {
                List<WorkerProcess> late = setup.workers().stream()
                        .filter(worker -> !worker.hasWorkedSince(start))
                        .toList();
                setup.dump(late);
                throw new AssertionError(late + " did not work again within " + LONGEST + " after " + struck);
            }
            Thread.sleep(PAUSE);
            long pause = System.nanoTime() - looked;
            looked += pause;
            stoodStill += pause > STANDSTILL ? pause : 0;
        }
        return Duration.ofNanos(System.nanoTime() - start - stoodStill);
    }

    private WorkerStats stats() throws InterruptedException {
        Thread.sleep(200);
        WorkerStats seen = setup.veteran().rest();
        setup.veteran().order("work");
        return seen;
    }

    int faults() {
        return struck.values().stream().mapToInt(Integer::intValue).sum();
    }

    Map<String, Integer> struck() {
        return struck;
    }

    List<Duration> recoveries() {
        return recoveries;
    }

    /** Of the oldest worker, before the first fault. */
    WorkerStats before() {
        return before;
    }

    /** Of the oldest worker, after the last fault. */
    WorkerStats after() {
        return after;
    }
}
