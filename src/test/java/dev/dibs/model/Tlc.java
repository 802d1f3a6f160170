package dev.dibs.model;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs TLC on one of docs/model/*.tla in a process of its own, and keeps what it said under target/tlc. */
final class Tlc {

    private static final Path MODEL = Path.of("docs", "model");
    private static final Path TARGET = Path.of("target", "tlc");
    private static final Pattern STATES =
            Pattern.compile("(\\d+) states generated, (\\d+) distinct states found, 0 states left on queue\\.");
    private static final Pattern VIOLATED =
            Pattern.compile("Error: (?:Invariant|Action property) (\\w+) is violated\\.");
    private static final Pattern STEP = Pattern.compile("^<(\\w+) line .*>: \\d+:(\\d+)$", Pattern.MULTILINE);

    private final String module;

    /** For docs/model/(module).tla. */
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

    /** Visits all states, and says how often each step was taken if told to by {@code -coverage}. */
    Run run(String name, String config, Duration atMost, String... options) throws Exception {
        return start(name, config, atMost, List.of("-XX:+UseParallelGC"), List.of(options));
    }

    /** For a run that is expected to be short: a quick start instead of a quick machine. */
    Run runUntilRefuted(String name, String config, Duration atMost) throws Exception {
        return start(name, config, atMost, List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), List.of());
    }

    private Run start(String name, String config, Duration atMost, List<String> jvm, List<String> options)
            throws Exception {
        String file = (module + " " + name).replaceAll("[^A-Za-z0-9]+", "-");
        Path folder = Files.createDirectories(TARGET.resolve(file));
        Path output = TARGET.resolve(file + ".txt");
        Files.writeString(folder.resolve(module + ".tla"), Files.readString(MODEL.resolve(module + ".tla")));
        Files.writeString(folder.resolve(module + ".cfg"), config);

        Path jar = Path.of(tlc2.TLC
                .class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(List.of("-Xmx1g", "-Djava.io.tmpdir=" + folder.toAbsolutePath(), "-cp", jar.toString()));
        command.addAll(List.of("tlc2.TLC", "-workers", "2", "-metadir", "states"));
        command.addAll(options);
        command.add(module + ".tla");

        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
            String text = Files.readString(output);
            return new Run(ended ? text : text + "\n(stopped after " + atMost + ")");
        } finally {
            process.destroyForcibly();
        }
    }

    /** What TLC said. */
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
