package dev.dibs.console;

import dev.dibs.DibsMXBean;
import dev.dibs.Finding;
import io.jstach.jstache.JStache;
import java.util.List;
import java.util.Locale;

/** The doctor's findings, and the counters of this instance. */
@JStache(path = "health")
record HealthPage(Frame frame, List<Row> rows, List<Figure> figures) {

    /** A finding. */
    record Row(String level, String style, String subject, String message, String remedy) {}

    /** A counter of this instance. */
    record Figure(String label, String value) {}

    static Row row(Finding finding) {
        String level = finding.level().name();
        return new Row(
                level,
                level.equals("OK") ? "good" : level.toLowerCase(Locale.ROOT),
                Format.text(finding.subject()),
                Format.text(Format.masked(finding.message())),
                Format.text(finding.remedy()));
    }

    static List<Figure> figures(DibsMXBean figures) {
        return List.of(
                new Figure("holder", Format.text(figures.getHolder())),
                new Figure("dialect", figures.getDialect()),
                new Figure("leases held now", Long.toString(figures.getHeld())),
                new Figure("acquired", Long.toString(figures.getAcquired())),
                new Figure("busy to the end of the wait", Long.toString(figures.getBusy())),
                new Figure("taken over", Long.toString(figures.getTakeovers())),
                new Figure("lost", Long.toString(figures.getLost())),
                new Figure("renewals that failed", Long.toString(figures.getRenewalFailures())),
                new Figure("released", Long.toString(figures.getReleased())));
    }
}
