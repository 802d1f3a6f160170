package dev.dibs.model;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import dev.dibs.process.ChildJvm;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs TLC on one of src/lab/model/*.tla, many runs in one process, and keeps its output under target/tlc. */
final class Tlc {

    private static final Path MODEL = Path.of("src", "lab", "model");
    private static final Path TARGET = Path.of("target", "tlc");
    private static final Pattern STATES =
            Pattern.compile("(\\d+) states generated, (\\d+) distinct states found, 0 states left on queue\\.");
    private static final Pattern VIOLATED =
            Pattern.compile("Error: (?:Invariant|Action property) (\\w+) is violated\\.");
    private static final Pattern STEP = Pattern.compile("^<(\\w+) line .*>: \\d+:(\\d+)$", Pattern.MULTILINE);

    private static final ReentrantLock ONE_AT_A_TIME = new ReentrantLock();
    /** TLC's classes and states stay in memory after a run. After many runs the JVM has no room for compiled code. */
    private static final int RUNS_PER_PROCESS = 8;
    /** Ends with this JVM. */
    private static ChildJvm server;

    private static int runs;

    private final String module;

    /** For src/lab/model/(module).tla. */
    Tlc(String module) {
        this.module = module;
    }

    /** The text of one of the configurations beside the model. */
    static String config(String world) throws IOException {
        return Files.readString(MODEL.resolve(world + ".cfg"));
    }

    /** The same configuration with one line changed. */
    static String replace(String config, String line, String by) {
        if (!config.contains(line + "\n")) {
            throw new IllegalArgumentException(line + " is not in:\n" + config);
        }
        return config.replace(line + "\n", by + "\n");
    }

    /** The same configuration, checked for one of its promises only. */
    static String only(String config, String promise) {
        List<String> lines = config.lines()
                .filter(line -> !isPromise(line) || line.endsWith(" " + promise))
                .toList();
        if (lines.stream().filter(Tlc::isPromise).count() != 1) {
            throw new IllegalArgumentException(promise + " is not checked in:\n" + config);
        }
        return String.join("\n", lines) + "\n";
    }

    private static boolean isPromise(String line) {
        return line.startsWith("INVARIANT ") || line.startsWith("PROPERTY ");
    }

    /** Visits all states, and with {@code -coverage} counts how often each step was taken. */
    Run run(String name, String config, Duration atMost, String... options) throws Exception {
        String file = (module + " " + name).replaceAll("[^A-Za-z0-9]+", "-");
        Path folder = Files.createDirectories(TARGET.resolve(file)).toAbsolutePath();
        Path output = TARGET.resolve(file + ".txt").toAbsolutePath();
        Path model = folder.resolve(module + ".tla");
        Files.writeString(model, Files.readString(MODEL.resolve(module + ".tla")));
        Files.writeString(folder.resolve(module + ".cfg"), config);

        List<String> order = new ArrayList<>();
        order.add(output.toString());
        order.addAll(List.of(
                "-workers",
                "2",
                "-fpmem",
                "0.1",
                "-metadir",
                folder.resolve("states").toString()));
        order.addAll(List.of(options));
        order.add(model.toString());
        return new Run(obey(String.join("\t", order), atMost) + Files.readString(output));
    }

    /** One run after the other, in a new process if the last was stopped or has done its number of runs. Empty, or the error. */
    private static String obey(String order, Duration atMost) throws Exception {
        ONE_AT_A_TIME.lock();
        try {
            if (server != null && runs == RUNS_PER_PROCESS) {
                end();
            }
            if (server == null) {
                // The optimizing compiler would cost the many short runs more than it gains in the few long ones.
                server = ChildJvm.startBehindOthers(List.of("-Xmx1g"), TlcServer.class, jar().toString());
            }
            runs++;
            server.send(order);
            try {
                server.awaitLine(TlcServer.END::equals, atMost);
                return "";
            } catch (AssertionError e) {
                end();
                return "(stopped after " + atMost + ")\n";
            }
        } finally {
            ONE_AT_A_TIME.unlock();
        }
    }

    private static void end() {
        server.close();
        server = null;
        runs = 0;
    }

    private static Path jar() throws URISyntaxException {
        return Path.of(tlc2.TLC
                .class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    /** TLC's output. */
    record Run(String output) {

        Run {
            requireNonNull(output);
        }

        /** Every reachable state was visited and all promises hold. */
        boolean holds() {
            return output.contains("Model checking completed. No error has been found.");
        }

        /** How many distinct states there are; 0 unless all were visited. */
        long states() {
            Matcher states = STATES.matcher(output);
            return states.find() ? Long.parseLong(states.group(2)) : 0;
        }

        /** The promise that was refuted, or an empty text. */
        String refuted() {
            Matcher violated = VIOLATED.matcher(output);
            return violated.find() ? violated.group(1) : "";
        }

        /** The steps that were never taken; needs {@code -coverage}. */
        List<String> idleSteps() {
            return steps(false);
        }

        List<String> takenSteps() {
            return steps(true);
        }

        private List<String> steps(boolean taken) {
            return STEP.matcher(output)
                    .results()
                    .filter(step -> (Long.parseLong(step.group(2)) > 0) == taken)
                    .map(step -> step.group(1))
                    .toList();
        }

        /** The end of the output, for a failed assertion. */
        String tail() {
            List<String> lines = output.lines().toList();
            return lines.stream().skip(Math.max(0, lines.size() - 80)).collect(joining("\n", "TLC said:\n", "\n"));
        }
    }
}
