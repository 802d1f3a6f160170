package dev.dibs.fault;

import dev.dibs.fault.Fault.Heal;
import dev.dibs.fault.Fault.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Faults between a worker, or all of them, and the database. */
final class NetworkFaults {
    private static final Duration DELAY = Duration.ofMillis(200);
    private static final int LONGEST_ANSWER = 400;

    private NetworkFaults() {}

    static List<Fault> all() {
        return List.of(
                fault("connections are cut", (network, random) -> {
                    network.reset();
                    return Heal.NOTHING;
                }),
                fault("bytes vanish both ways", (network, random) -> {
                    network.lose(true);
                    return () -> network.lose(false);
                }),
                fault("nobody is let through", (network, random) -> {
                    network.refuse(true);
                    return () -> network.refuse(false);
                }),
                fault("all is held and delivered late", (network, random) -> {
                    network.stall(true);
                    return () -> network.stall(false);
                }),
                fault("each piece takes 200 ms", (network, random) -> {
                    network.delay(DELAY);
                    return () -> network.delay(Duration.ZERO);
                }),
                fault("cut between commit and answer", (network, random) -> {
                    network.cutAnswerTo("COMMIT");
                    return () -> network.cutAnswerTo(null);
                }),
                fault("cut in the middle of an answer", (network, random) -> {
                    network.cutAfterAnswer(random.nextInt(LONGEST_ANSWER));
                    return () -> network.cutAfterAnswer(Long.MAX_VALUE);
                }));
    }

    private interface Trouble {
        Heal on(TcpProxy network, Random random) throws IOException;
    }

    /** One worker's network, or, one time in three, those of all. */
    private static Fault fault(String name, Trouble trouble) {
        return new Fault(name, Scope.NETWORK, (setup, worker, length, random) -> {
            List<WorkerProcess> concerned = random.nextInt(3) == 0 ? setup.workers() : List.of(worker);
            List<Heal> heals = new ArrayList<>();
            for (WorkerProcess each : concerned) {
                for (TcpProxy network : each.networks()) {
                    heals.add(trouble.on(network, random));
                }
            }
            return () -> {
                for (Heal heal : heals) {
                    heal.heal();
                }
            };
        });
    }
}
