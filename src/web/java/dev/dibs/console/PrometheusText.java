package dev.dibs.console;

/**
 * Writes the text format of Prometheus, version 0.0.4.
 *
 * <p>For one thread.
 */
final class PrometheusText {

    static final String TYPE = "text/plain;version=0.0.4;charset=utf-8";

    private final StringBuilder text = new StringBuilder(4096);

    /** Begins a metric whose samples follow. */
    PrometheusText begin(String name, String type, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        return this;
    }

    /**
     * A sample of the metric that was begun last.
     *
     * @param labels names and values in turn
     */
    void sample(String name, double value, String... labels) {
        text.append(name);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
            text.append(escaped(labels[i + 1])).append('"');
        }
        text.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
