package dev.dibs.micrometer;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.dibs.Dibs;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Dashboards and alerts rely on the names: the page lists them, and the queries of the dashboard use them. */
@Tag("unit")
class MeterNamesTest {

    private static final Path PAGE = Path.of("docs", "reference", "micrometer.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `dibs\\..*$");
    private static final Pattern METRIC = Pattern.compile("(dibs_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)=~?\"");
    private static final Pattern GROUPING = Pattern.compile("by ?\\(([^)]*)\\)");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

    /** Added by Prometheus. */
    private static final Set<String> OF_PROMETHEUS = Set.of("instance", "job");

    private static PrometheusMeterRegistry meters() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:meter-names;DB_CLOSE_DELAY=-1");
        try (Dibs dibs = Dibs.on(source)) {
            new DibsMetrics(dibs).bindTo(registry);
        }
        LockMetrics unused = new LockMetrics(registry, "order");
        return registry;
    }

    @Test
    void thePageListsEachMeterWithItsTagsAndItsDescription() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        meters().getMeters().forEach(meter -> rows.put(meter.getId().getName(), row(meter.getId())));
        assertThat(ROW.matcher(Files.readString(PAGE)).results().map(MatchResult::group))
                .containsExactlyElementsOf(rows.values());
    }

    private static String row(Meter.Id id) {
        return "| `" + id.getName() + "` | "
                + id.getType().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " | "
                + id.getTags().stream().map(tag -> "`" + tag.getKey() + "`").collect(joining(", "))
                + " | " + id.getDescription() + " |";
    }

    @Test
    void eachQueryOfTheDashboardAsksForMetricsAndLabelsThatExist() throws IOException {
        List<Samples.Sample> samples = Samples.of(meters().scrape());
        Set<String> asked = new HashSet<>();
        for (JsonObject target : targets()) {
            String query = target.get("expr").getAsString();
            Set<String> known = new HashSet<>(OF_PROMETHEUS);
            for (MatchResult metric : METRIC.matcher(query).results().toList()) {
                Set<String> labels = labels(samples, metric.group(1));
                asked.add(metric.group(1));
                known.addAll(labels);
                assertThat(found(MATCHER, metric.group(2))).as(query).allMatch(labels::contains);
            }
            assertThat(query).containsPattern(METRIC);
            Set<String> groups = new HashSet<>();
            found(GROUPING, query).forEach(list -> groups.addAll(List.of(list.split(",\\s*"))));
            assertThat(known).as(query).containsAll(groups);
            assertThat(groups)
                    .as("legend of " + query)
                    .containsAll(found(LEGEND, target.get("legendFormat").getAsString()));
        }
        assertThat(asked.stream().map(MeterNamesTest::meter).collect(toSet()))
                .as("each meter is on the dashboard")
                .isEqualTo(samples.stream().map(sample -> meter(sample.name())).collect(toSet()));
    }

    private static String meter(String metric) {
        return metric.replaceAll("_(count|sum|max)$", "");
    }

    private static Set<String> labels(List<Samples.Sample> samples, String metric) {
        assertThat(samples).extracting(Samples.Sample::name).contains(metric);
        Set<String> labels = new HashSet<>(OF_PROMETHEUS);
        samples.stream()
                .filter(sample -> sample.name().equals(metric))
                .flatMap(sample -> sample.labels().stream())
                .forEach(label -> labels.add(label.substring(0, label.indexOf('='))));
        return labels;
    }

    private static List<String> found(Pattern pattern, String text) {
        return text == null
                ? List.of()
                : pattern.matcher(text).results().map(result -> result.group(1)).toList();
    }

    /** The queries of all panels. */
    private static List<JsonObject> targets() throws IOException {
        List<JsonObject> targets = new ArrayList<>();
        try (var file = new InputStreamReader(
                DibsMetrics.class.getResourceAsStream("grafana-dashboard.json"), StandardCharsets.UTF_8)) {
            for (JsonElement panel :
                    JsonParser.parseReader(file).getAsJsonObject().getAsJsonArray("panels")) {
                panel.getAsJsonObject().getAsJsonArray("targets").forEach(one -> targets.add(one.getAsJsonObject()));
            }
        }
        assertThat(targets).isNotEmpty();
        return targets;
    }
}
