package dev.dibs.demo;

import dev.dibs.demo.Message.Word;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** The workers, and all their messages. No worker outlives it. */
final class Crew implements Cleanup.Resource {

    static final int SIZE = 3;

    private static final long LOOK_MILLIS = 10;

    private final List<WorkerProcess> workers = new ArrayList<>();
    private final Queue<Message> heard = new ConcurrentLinkedQueue<>();

    /**
     * Starts them.
     *
     * @param first the arguments of the first one; the others differ only in the number
     */
    static Crew start(DemoDatabase database, Settings settings, WorkerArguments first) {
        Map<String, String> environment = Map.of(
                Settings.variable("demo.url"), database.url(),
                Settings.variable("demo.user"), settings.user(),
                Settings.variable("demo.password"), settings.password());
        Crew crew = new Crew();
        for (int number = 1; number <= SIZE; number++) {
            WorkerArguments arguments = new WorkerArguments(
                    number, first.prefix(), first.leaseMillis(), first.batch(), first.rowsPerSecond(), first.root());
            crew.workers.add(WorkerProcess.start(arguments, environment, crew.heard::add));
        }
        return crew;
    }

    List<WorkerProcess> workers() {
        return workers;
    }

    WorkerProcess worker(int number) {
        return workers.get(number - 1);
    }

    boolean anyAlive() {
        return workers.stream().anyMatch(WorkerProcess::isAlive);
    }

    /** The first message of that kind, from before or within the time; empty if there is none. */
    Optional<Message> await(Predicate<Message> wanted, Duration patience) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            boolean last = System.nanoTime() - start > patience.toNanos() || !anyAlive();
            Optional<Message> found = heard.stream().filter(wanted).findFirst();
            if (found.isPresent() || last) {
                return found;
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** The message of the living worker that has the report's lock, from when it acquired that. */
    Optional<Message> reporting() {
        return heard.stream()
                .filter(message -> message.is(Word.REPORTING))
                .max(Comparator.comparingLong(Message::fence))
                .filter(message -> worker(message.worker()).isAlive());
    }

    /** Makes all workers linger with a file in hand until a certain worker does; the others then go on. */
    Optional<Message> hold(Predicate<Message> wanted, Duration patience) throws InterruptedException {
        heard.removeIf(message -> message.is(Word.HOLDING) || message.is(Word.WROTE));
        workers.forEach(worker -> worker.send(Orders.LINGER));
        Optional<Message> held = await(message -> message.is(Word.HOLDING) && wanted.test(message), patience);
        workers.stream()
                .filter(worker -> held.isEmpty() || held.get().worker() != worker.number())
                .forEach(worker -> worker.send(Orders.GO_ON));
        return held;
    }

    @Override
    public void close() {
        workers.stream().filter(WorkerProcess::isAlive).forEach(WorkerProcess::kill);
    }
}
