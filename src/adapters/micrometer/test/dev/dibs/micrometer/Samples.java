package dev.dibs.micrometer;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the text format of Prometheus. */
final class Samples {

    private static final Pattern LINE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /**
     * One line.
     *
     * @param labels each as {@code name=value}
     */
    record Sample(String name, List<String> labels, double value) {}

    private Samples() {}

    static List<Sample> of(String text) {
        return text.lines()
                .filter(line -> !line.startsWith("#"))
                .map(Samples::sample)
                .toList();
    }

    private static Sample sample(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            throw new AssertionError("not a sample: " + line);
        }
        List<String> labels = new ArrayList<>();
        if (parts.group(2) != null) {
            LABEL.matcher(parts.group(2)).results().forEach(label -> labels.add(label.group(1) + "=" + label.group(2)));
        }
        return new Sample(parts.group(1), labels, Double.parseDouble(parts.group(3)));
    }
}
