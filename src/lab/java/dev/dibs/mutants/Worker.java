package dev.dibs.mutants;

import dev.dibs.process.ChildJvm;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** A process with a database of its own, kept for many mutants: a start takes longer than most tests. */
final class Worker implements AutoCloseable {

    /** A test is interrupted after 45 s; if it ignores that, it is stuck. */
    private static final Duration STUCK = Duration.ofSeconds(90);

    private final String database;
    final Overlay overlay;
    private ChildJvm process;

    Worker(String database, Overlay overlay) {
        this.database = database;
        this.overlay = overlay;
    }

    /**
     * The result of a list of tests.
     *
     * @param red the first red one, or nothing
     * @param why in a line
     */
    record Outcome(int green, String red, String why) {
        boolean isGreen() {
            return red.isEmpty();
        }
    }

    /** Runs these until the first is red; reports how many milliseconds each green one took. */
    Outcome run(List<String> names, BiConsumer<String, Long> took) throws InterruptedException {
        if (process == null) {
            process = ChildJvm.startAsHere(List.of("-Xmx1g"), overlay.environment(), MutantTests.class, database);
        }
        process.send(String.join(" ", names));
        String last = names.get(0);
        String[] red = null;
        int green = 0;
        while (true) {
            String line;
            try {
                line = process.awaitLine(text -> text.startsWith("@"), STUCK);
            } catch (AssertionError e) {
                List<String> lines = process.lines();
                String lastLine = lines.isEmpty() ? "" : lines.get(lines.size() - 1);
                close();
                return new Outcome(green, last, "stuck, or the process ended; its last line: " + lastLine);
            }
            String[] words = line.split(" ", 4);
            switch (words[0] + " ") {
                case MutantTests.STARTED -> last = words[1];
                case MutantTests.PASSED -> {
                    green++;
                    took.accept(words[1], Long.parseLong(words[2]));
                }
                case MutantTests.RED -> red = words;
                default -> {
                    return red == null
                            ? new Outcome(green, "", "")
                            : new Outcome(
                                    green,
                                    names.contains(red[1]) ? red[1] : names.get(0),
                                    red.length > 3 ? red[3] : "");
                }
            }
        }
    }

    /** The next run gets a new process. */
    @Override
    public void close() {
        if (process != null) {
            process.close();
            process = null;
        }
    }
}
