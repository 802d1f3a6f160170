package dev.dibs.contract.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.TestDatabase;
import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Four processes on one database that begin at the same time. Each prints READY and then waits for a line of input. */
public final class Racers implements AutoCloseable {
    public static final int COUNT = 4;

    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration END = Duration.ofMinutes(10);

    private final List<ChildJvm> all = new ArrayList<>();

    private Racers() {}

    /** They are ready. The arguments are those of the database, these, and the number of the process. */
    public static Racers start(TestDatabase database, Class<?> main, String... arguments) throws InterruptedException {
        Racers racers = new Racers();
        try {
            for (int number = 0; number < COUNT; number++) {
                racers.all.add(database.startJvm(
                        main,
                        Stream.concat(Stream.of(arguments), Stream.of(String.valueOf(number)))
                                .toArray(String[]::new)));
            }
            for (ChildJvm racer : racers.all) {
                racer.awaitLine("READY"::equals, START);
            }
            return racers;
        } catch (InterruptedException | RuntimeException | Error e) {
            racers.close();
            throw e;
        }
    }

    public List<ChildJvm> all() {
        return all;
    }

    /** Sends the line to those that are alive. */
    public void send(String line) {
        alive().forEach(racer -> racer.send(line));
    }

    /** The last words of those that are alive, after this one. */
    public List<String> end(String word) throws InterruptedException {
        List<String> ends = new ArrayList<>();
        for (ChildJvm racer : alive()) {
            String end = racer.awaitLine(line -> line.startsWith(word) || line.startsWith("FAILED"), END);
            assertThat(racer.lines()).noneMatch(line -> line.startsWith("FAILED"));
            ends.add(end.substring(word.length()).strip());
        }
        return ends;
    }

    private List<ChildJvm> alive() {
        return all.stream().filter(ChildJvm::isAlive).toList();
    }

    @Override
    public void close() {
        all.forEach(ChildJvm::close);
    }
}
