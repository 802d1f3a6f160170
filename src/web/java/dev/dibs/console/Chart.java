package dev.dibs.console;

import dev.dibs.console.RunHistory.Sample;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * A small chart of a run over time: SVG that the server draws. The drawing is {@value #WIDTH} wide and {@value #HEIGHT} high, and the
 * stylesheet stretches it. So its words stand beside it.
 *
 * @param key tells the charts of a page apart
 * @param title what it shows
 * @param latest the latest value
 * @param top the value at the upper edge; the lower edge is zero
 * @param line the line, if it has one
 * @param bars its bars, if it has some
 * @param from the time at the left edge
 * @param to the time at the right edge
 * @param words the same for people who cannot see it
 */
record Chart(
        String key,
        String title,
        String latest,
        String top,
        Optional<Line> line,
        List<Bar> bars,
        String from,
        String to,
        String words) {

    static final int WIDTH = 600;
    static final int HEIGHT = 100;

    private static final int MOST_PIECES = 60;

    /** Workers report once a second, so a shorter time would show only when they did. */
    private static final Duration LEAST = Duration.ofSeconds(4);

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("MMM d, HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** The paths of a line and of the area below it. */
    record Line(String path, String area) {}

    /** A bar, and its words. */
    record Bar(String x, String y, String width, String height, String words) {}

    /** Completed rows and failed attempts; no chart before the console has seen the run for some seconds. */
    static List<Chart> of(List<Sample> samples) {
        if (samples.isEmpty() || length(samples).compareTo(LEAST) < 0) {
            return List.of();
        }
        return List.of(
                of("rate", "Rows per second", samples, Sample::done, 1, false),
                of("failures", "Failed attempts per minute", samples, Sample::failed, 60, true));
    }

    /** The path of the completed rows over time, without words. */
    static Optional<String> spark(List<Sample> samples) {
        return of(samples).stream()
                .flatMap(chart -> chart.line().stream())
                .map(Line::path)
                .findFirst();
    }

    private static Chart of(
            String key,
            String title,
            List<Sample> samples,
            ToLongFunction<Sample> count,
            int seconds,
            boolean hasBars) {
        double[] values = values(samples, count, seconds);
        double most = 0;
        for (double value : values) {
            most = Math.max(most, value);
        }
        double top = top(most);
        String from = clock(samples, 0);
        String to = clock(samples, (double) length(samples).toMillis());
        String latest = number(values[values.length - 1]);
        return new Chart(
                key,
                title,
                latest,
                number(top),
                hasBars ? Optional.empty() : Optional.of(line(values, top)),
                hasBars ? bars(values, top, samples) : List.of(),
                from,
                to,
                title + " from " + from + " to " + to + " UTC: " + latest + " at the end, " + number(most)
                        + " at most");
    }

    /** How many there were per so many seconds, in pieces of time of equal length. */
    private static double[] values(List<Sample> samples, ToLongFunction<Sample> count, int seconds) {
        int pieces = Math.min(MOST_PIECES, samples.size() - 1);
        double piece = (double) length(samples).toMillis() / pieces;
        double[] values = new double[pieces];
        for (int i = 0; i < pieces; i++) {
            double many = at(samples, count, (i + 1) * piece) - at(samples, count, i * piece);
            values[i] = Math.max(0, many * 1000 * seconds / piece);
        }
        return values;
    }

    /** The count at a time between two samples, as if it had grown evenly. */
    private static double at(List<Sample> samples, ToLongFunction<Sample> count, double millis) {
        for (int i = 1; i < samples.size(); i++) {
            double before = millis(samples, i - 1);
            double after = millis(samples, i);
            if (millis <= after) {
                double share = Math.max(0, millis - before) / (after - before);
                long known = count.applyAsLong(samples.get(i - 1));
                return known + share * (count.applyAsLong(samples.get(i)) - known);
            }
        }
        return count.applyAsLong(samples.get(samples.size() - 1));
    }

    private static double millis(List<Sample> samples, int i) {
        return Duration.between(samples.get(0).at(), samples.get(i).at()).toMillis();
    }

    private static Duration length(List<Sample> samples) {
        return Duration.between(
                samples.get(0).at(), samples.get(samples.size() - 1).at());
    }

    /** Through the middle of each piece, from edge to edge. */
    private static Line line(double[] values, double top) {
        StringBuilder path = new StringBuilder("M0 ").append(y(values[0], top));
        for (int i = 0; i < values.length; i++) {
            path.append(" L")
                    .append(number((i + 0.5) * WIDTH / values.length))
                    .append(' ')
                    .append(y(values[i], top));
        }
        path.append(" L").append(WIDTH).append(' ').append(y(values[values.length - 1], top));
        return new Line(path.toString(), path + " L" + WIDTH + " " + HEIGHT + " L0 " + HEIGHT + " Z");
    }

    private static List<Bar> bars(double[] values, double top, List<Sample> samples) {
        double width = (double) WIDTH / values.length;
        double piece = (double) length(samples).toMillis() / values.length;
        List<Bar> bars = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            if (values[i] > 0) {
                bars.add(new Bar(
                        number((i + 0.1) * width),
                        y(values[i], top),
                        number(0.8 * width),
                        number(values[i] / top * HEIGHT),
                        clock(samples, i * piece) + ": " + number(values[i])));
            }
        }
        return bars;
    }

    private static String y(double value, double top) {
        return number(HEIGHT - value / top * HEIGHT);
    }

    /** The next of 1, 2, 5, 10, 20, .. */
    private static double top(double most) {
        double power = 1;
        while (power * 10 < most) {
            power *= 10;
        }
        return most <= power ? power : most <= 2 * power ? 2 * power : most <= 5 * power ? 5 * power : 10 * power;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 100 && value != Math.rint(value) ? "%.1f" : "%.0f", value);
    }

    /** The time so many milliseconds after the first sample; with its day if the samples are of more than one. */
    private static String clock(List<Sample> samples, double millis) {
        Instant time = samples.get(0).at().plusMillis((long) millis);
        return (length(samples).compareTo(Duration.ofDays(1)) < 0 ? CLOCK : DAY).format(time);
    }
}
