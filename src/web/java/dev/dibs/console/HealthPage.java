package dev.dibs.console;

import com.google.gson.JsonObject;
import dev.dibs.DibsMXBean;
import dev.dibs.Finding;
import dev.dibs.text.Html;
import dev.dibs.text.JsonText;
import io.jstach.jstache.JStache;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The doctor's findings, and the counters of this instance. */
final class HealthPage implements Page {

    private final Snapshot snapshot;

    HealthPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "health";
    }

    @Override
    public String label() {
        return "Health";
    }

    @Override
    public Answer answer(PageRequest request) {
        var seen = snapshot.findings().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(request, seen.problem());
        }
        if (request.json()) {
            return Answer.json(() -> Json.of(seen.value()));
        }
        HealthView view = new HealthView(
                Frame.of(request, "Health", seen, true),
                seen.value().stream()
                        .sorted(Comparator.comparing(Finding::level).reversed())
                        .map(HealthPage::row)
                        .toList(),
                figures(snapshot.dibs().admin().statistics()));
        return Answer.html(out -> HealthViewRenderer.render(view, out, Html::text, Html::escape));
    }

    @JStache(path = "health")
    record HealthView(Frame frame, List<Row> rows, List<Figure> figures) {}

    /** A finding. */
    record Row(String level, String style, String subject, String message, Optional<String> remedy) {}

    /** A counter of this instance. */
    record Figure(String label, String value) {}

    private static Row row(Finding finding) {
        String level = finding.level().name();
        return new Row(
                level,
                level.equals("OK") ? "good" : level.toLowerCase(Locale.ROOT),
                Format.text(finding.subject()),
                Format.text(Format.masked(finding.message())),
                finding.remedy().isBlank() ? Optional.empty() : Optional.of(Format.text(finding.remedy())));
    }

    private static List<Figure> figures(DibsMXBean figures) {
        return List.of(
                new Figure("holder", Format.text(figures.getHolder())),
                new Figure("dialect", figures.getDialect()),
                new Figure("leases held now", Long.toString(figures.getHeld())),
                new Figure("acquired", Long.toString(figures.getAcquired())),
                new Figure("busy to the end of the wait", Long.toString(figures.getBusy())),
                new Figure("taken over", Long.toString(figures.getTakeovers())),
                new Figure("lost", Long.toString(figures.getLost())),
                new Figure("renewals that came late", Long.toString(figures.getLateRenewals())),
                new Figure("renewals that failed", Long.toString(figures.getRenewalFailures())),
                new Figure("released", Long.toString(figures.getReleased())));
    }

    private static final class Json {

        static String of(List<Finding> findings) {
            return JsonText.of(JsonText.array(findings, Json::finding));
        }

        private static JsonObject finding(Finding finding) {
            JsonObject object = new JsonObject();
            object.addProperty("level", finding.level().name().toLowerCase(Locale.ROOT));
            object.addProperty("subject", finding.subject());
            object.addProperty("message", Format.masked(finding.message()));
            object.addProperty("remedy", finding.remedy());
            return object;
        }
    }
}
