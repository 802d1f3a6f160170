package dev.dibs.fault;

import dev.dibs.fault.Fault.Heal;
import dev.dibs.fault.Fault.Scope;
import dev.dibs.fault.worker.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/** Faults of one worker. */
final class WorkerFaults {
    private static final List<String> CLOCKS = List.of("+0s", "+600s", "-600s", "+25h");
    private static final Duration LATE = Workload.LEASE.plusMillis(500);

    private WorkerFaults() {}

    static List<Fault> all() {
        return List.of(
                new Fault("a worker is killed", Scope.PROCESS, WorkerFaults::kill),
                new Fault("a worker is paused for longer than its lease", Scope.PROCESS, LATE, WorkerFaults::pause),
                new Fault("a worker's clock jumps", Scope.NOTHING, WorkerFaults::jump),
                new Fault("a pool runs dry", Scope.POOL, (setup, worker, length, random) -> {
                    worker.order("drain " + length.toMillis());
                    return Heal.NOTHING;
                }),
                planted("deadlocks", random -> "fail 8 40001 1213"),
                planted("serialization failures", random -> "fail 8 40001 0"),
                planted("the disk is full", random -> "fail 8 53100 0"),
                planted("answers get lost", random -> "lose-answers " + (1 + random.nextInt(5))),
                planted("statements get lost", random -> "lose-statements " + (1 + random.nextInt(5))),
                planted("answers come after the lease", random -> "late 2 " + LATE.toMillis()));
    }

    /** Its successor starts when the fault is over. */
    private static Heal kill(FaultSetup setup, WorkerProcess worker, Duration length, Random random) {
        List<WorkerProcess> workers = setup.workers();
        WorkerProcess victim = worker == setup.veteran() ? workers.get(1 + random.nextInt(workers.size() - 1)) : worker;
        setup.kill(victim);
        return victim::start;
    }

    private static Heal pause(FaultSetup setup, WorkerProcess worker, Duration length, Random random)
            throws InterruptedException {
        worker.pause();
        return worker::resume;
    }

    private static Heal jump(FaultSetup setup, WorkerProcess worker, Duration length, Random random) throws Exception {
        for (WorkerProcess each : setup.workers()) {
            if (each.hasClock()) {
                each.setClock(CLOCKS.get(random.nextInt(CLOCKS.size())));
            }
        }
        return Heal.NOTHING;
    }

    private static Fault planted(String name, Function<Random, String> order) {
        return new Fault(name, Scope.NOTHING, (setup, worker, length, random) -> {
            worker.order(order.apply(random));
            return () -> worker.order("heal");
        });
    }
}
