package dev.dibs.console;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.HolderInfo;
import dev.dibs.OnceInfo;
import dev.dibs.rows.DeadRow;
import dev.dibs.rows.Run;
import dev.dibs.rows.RunError;
import dev.dibs.rows.RunStatus;
import dev.dibs.token.TokenCounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What the console has seen of the database lately, for all who look; error texts without passwords. */
final class Watch {

    /** How many errors and dead rows of a run are kept. */
    static final int DETAILS = 100;

    private static final Duration AGE = Duration.ofSeconds(2);
    private static final Duration DETAIL_AGE = Duration.ofSeconds(5);
    private static final Duration FINDINGS_AGE = Duration.ofSeconds(30);

    /** More runs than that are not looked at by one crew at the same time. */
    private static final int MOST_DETAILS = 200;

    /** Of one run. */
    record Detail(List<RunError> errors, List<DeadRow> dead) {}

    private final Dibs dibs;
    private final Pace pace;
    private final LongSupplier nanos;
    private final Map<String, Shared<Detail>> details = new ConcurrentHashMap<>();
    private final Shared<List<HolderInfo>> holders;
    private final Shared<List<OnceInfo>> onces;
    private final Shared<List<RunStatus>> runs;
    private final Shared<List<TokenCounts>> tokens;
    private final Shared<List<Finding>> findings;

    Watch(Dibs dibs, LongSupplier nanos) {
        this.dibs = dibs;
        this.nanos = nanos;
        this.pace = new Pace(nanos);
        // How many statements each costs is what a test counts.
        holders = shared(4, AGE, () -> dibs.holders().list());
        onces = shared(1, AGE, () -> dibs.onces().stream().map(Watch::masked).toList());
        runs = shared(3, AGE, dibs::runs);
        tokens = shared(1, AGE, dibs::tokenCounts);
        findings = shared(15, FINDINGS_AGE, dibs::doctor);
    }

    private <T> Shared<T> shared(int statements, Duration age, Supplier<T> question) {
        return new Shared<>(pace, nanos, statements, age, question);
    }

    Dibs dibs() {
        return dibs;
    }

    Shared<List<HolderInfo>> holders() {
        return holders;
    }

    Shared<List<OnceInfo>> onces() {
        return onces;
    }

    Shared<List<RunStatus>> runs() {
        return runs;
    }

    Shared<List<TokenCounts>> tokens() {
        return tokens;
    }

    Shared<List<Finding>> findings() {
        return findings;
    }

    /** The details of a run that is there. */
    Shared<Detail> detail(String run) {
        if (details.size() >= MOST_DETAILS && !details.containsKey(run)) {
            details.clear();
        }
        return details.computeIfAbsent(run, name -> shared(4, DETAIL_AGE, () -> detailOf(dibs.run(name))));
    }

    /** Something was changed in it. */
    void outdateDetail(String run) {
        Shared<Detail> detail = details.get(run);
        if (detail != null) {
            detail.outdate();
        }
    }

    private static Detail detailOf(Run run) {
        return new Detail(
                run.errors(DETAILS).stream().map(Watch::masked).toList(),
                run.dead(DETAILS).stream()
                        .map(row -> new DeadRow(row.key(), row.attempts(), row.failedAt(), Show.masked(row.message())))
                        .toList());
    }

    private static RunError masked(RunError error) {
        return new RunError(
                error.key(),
                error.attempt(),
                error.worker(),
                error.failedAt(),
                error.errorClass(),
                Show.masked(error.message()),
                Show.masked(error.stack()));
    }

    private static OnceInfo masked(OnceInfo once) {
        return new OnceInfo(
                once.name(),
                once.running(),
                once.holder(),
                once.lastSuccess(),
                once.lastFailure(),
                Show.masked(once.error()),
                once.failures(),
                once.retryAt(),
                once.lastDuration());
    }
}
