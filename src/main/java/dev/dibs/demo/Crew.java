package dev.dibs.demo;

import dev.dibs.demo.Message.Word;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** The workers, and all that they have said. None of them outlives it. */
final class Crew implements Cleanup.Resource {

    static final int SIZE = 3;

    private static final long LOOK_MILLIS = 10;

    private final List<WorkerProcess> workers = new ArrayList<>();
    private final Queue<Message> heard = new ConcurrentLinkedQueue<>();
    /** Which directory each is at. */
    private final Map<Integer, Integer> places = new ConcurrentHashMap<>();

    static Crew start(DemoDatabase database, Settings settings, Pace pace) {
        Map<String, String> environment = Map.of(
                Settings.variable("demo.url"), database.url(),
                Settings.variable("demo.user"), settings.user(),
                Settings.variable("demo.password"), settings.password());
        Crew crew = new Crew();
        for (int number = 1; number <= SIZE; number++) {
            WorkerArguments arguments = new WorkerArguments(
                    number, database.prefix(), settings.lease().toMillis(), pace, settings.repository());
            crew.workers.add(WorkerProcess.start(arguments, environment, crew::hear));
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

    /** The directory that a worker took last. */
    Optional<Integer> place(int worker) {
        return Optional.ofNullable(places.get(worker));
    }

    private void hear(Message message) {
        heard.add(message);
        if (message.is(Word.READING) || message.is(Word.TOOK)) {
            places.put(message.worker(), message.directory());
        }
        if (message.is(Word.DONE) || message.is(Word.REFUSED)) {
            places.remove(message.worker());
        }
    }

    /** The first message of that kind, said already or within the time; empty if there is none. */
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

    /** The last message of that kind so far. */
    Optional<Message> last(Predicate<Message> wanted) {
        return heard.stream().filter(wanted).reduce((earlier, later) -> later);
    }

    /** Has somebody linger in the middle of a directory, whoever is first to have one, and the others go on. */
    Optional<Message> holdOne(Duration patience) throws InterruptedException {
        heard.removeIf(message -> message.is(Word.HOLDING));
        workers.forEach(worker -> worker.tell(Orders.LINGER));
        Optional<Message> held = await(message -> message.is(Word.HOLDING), patience);
        workers.stream()
                .filter(worker -> held.isEmpty() || held.get().worker() != worker.number())
                .forEach(worker -> worker.tell(Orders.GO_ON));
        return held;
    }

    @Override
    public void close() {
        workers.stream().filter(WorkerProcess::isAlive).forEach(WorkerProcess::kill);
    }
}
