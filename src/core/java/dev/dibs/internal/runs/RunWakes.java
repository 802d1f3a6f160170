package dev.dibs.internal.runs;

import dev.dibs.internal.acquire.Wakeups;
import dev.dibs.internal.acquire.Wakeups.Topic;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Wakes the idle workers of one Dibs, and tells other processes to wake theirs. All wakes are hints: one that is lost, late or for nothing only
 * changes the time of a look.
 *
 * <p>Safe for use by any thread.
 */
final class RunWakes {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final Context context;
    private final Wakeups wakeups;

    /** Those of this process that have not ended, each with the name of its run. */
    final Map<IdleWorkers, String> starts = new ConcurrentHashMap<>();

    private final boolean notifies;
    private final Set<String> unsent = ConcurrentHashMap.newKeySet();
    final BackgroundLoop loop = new BackgroundLoop("dibs-run-wakes", this::round);

    /** For the thread of the loop only. */
    private @Nullable Database background;

    RunWakes(Context context, Wakeups wakeups) {
        this.context = context;
        this.wakeups = wakeups;
        this.notifies = context.database().statements().features().notifies();
    }

    private Stream<IdleWorkers> here(String run) {
        return starts.entrySet().stream()
                .filter(start -> start.getValue().equals(run))
                .map(Map.Entry::getKey);
    }

    /** Wakes the workers of the run here at once. Others are told soon; until then, further wakes of the run count as the same. */
    void wake(String run) {
        here(run).forEach(IdleWorkers::wake);
        if (notifies) {
            unsent.add(run);
            loop.within(0);
        }
    }

    /** Wakes the workers of the run at the commit of the caller's transaction, or looks here a few times. */
    void wake(String run, Connection connection) throws SqlFailure {
        if (notifies) {
            Call<Boolean> unused = context.database().callOn(connection, "wake_run", Params.of("run", run));
        }
        if (!wakeups.isSure(new Topic(Topic.RUN, run))) {
            here(run).forEach(IdleWorkers::wakeLater);
        }
    }

    /** A worker of the run becomes idle, or is it no more. */
    void idle(String run, boolean isIdle) {
        Topic topic = new Topic(Topic.RUN, run);
        if (isIdle) {
            wakeups.want(topic, isNew -> here(run).map(idle -> idle.wake(isNew)).reduce(true, Boolean::logicalAnd));
        } else {
            wakeups.forget(topic);
        }
    }

    private long round() {
        unsent.forEach(this::send);
        return BackgroundLoop.NEVER;
    }

    private void send(String run) {
        unsent.remove(run);
        try {
            background = background == null ? context.background().get() : background;
            background.call("wake_run", Params.of("run", run), TIMEOUT);
        } catch (SqlFailure e) {
            context.errors().log("The workers of a run in other processes could not be woken", e);
        }
    }
}
