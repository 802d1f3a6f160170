package dev.dibs.internal.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.acquire.Wakeups;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.schema.CapabilityPart;
import dev.dibs.internal.values.Names;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The runs of one Dibs. Get it by {@code Dibs.run(..)}. Safe for use by any thread. */
public final class Runs implements CapabilityPart {

    /** Nobody depends on a wake that is under way. */
    private static final long WAKES_MILLIS = 200;

    private final Context context;
    private final Set<LocalWorkers<?>> open = ConcurrentHashMap.newKeySet();

    private final RunWakes wakes;

    public Runs(Context context, Wakeups wakeups) {
        this.context = context;
        this.wakes = new RunWakes(context, wakeups);
    }

    /**
     * A named job over the rows of a table.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @throws IllegalArgumentException if the name is invalid
     */
    public Run of(String name) {
        String checked = Names.checkStripped("run's name", name);
        return new DatabaseRun(context, open, wakes, new RunTable(context.database(), checked));
    }

    /**
     * The status of all runs, sorted by name.
     *
     * @throws DatabaseFailureException if the database gives no answer
     */
    public List<RunStatus> list() {
        return context.list("list_runs", () -> DatabaseRun.all(context.database()));
    }

    /** Ends all workers; they have their own limit of time for that. */
    @Override
    public void close(Duration patience) {
        open.forEach(LocalWorkers::stop);
        open.forEach(LocalWorkers::close);
        boolean unused = wakes.loop.stop(WAKES_MILLIS);
    }
}
