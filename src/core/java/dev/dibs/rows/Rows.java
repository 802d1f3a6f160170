package dev.dibs.rows;

import dev.dibs.DibsException;
import dev.dibs.core.Context;
import dev.dibs.core.Deadline;
import dev.dibs.core.Names;
import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The claims and runs of one Dibs, which makes it; use {@code Dibs.claims(..)} and {@code Dibs.run(..)}. Safe for use by any thread. */
public final class Rows {

    private final Context context;
    private final ClaimKeeper keeper;
    private final ClaimsFactory factory;
    private final Set<RunWorkers<?>> open = ConcurrentHashMap.newKeySet();

    /** For Dibs itself. */
    @SuppressWarnings("exports")
    public Rows(Context context) {
        this.context = context;
        this.keeper = new ClaimKeeper(context);
        this.factory = new ClaimsFactory(context, keeper);
    }

    /**
     * Claims on the rows of a table of the application's own.
     *
     * @param table its name, plain or quoted, with its schema before it if need be
     * @param lease how long a claim holds without being renewed, if the builder is not told otherwise
     */
    public ClaimsBuilder claims(String table, Duration lease) {
        return new ClaimsBuilder(factory, table, lease);
    }

    /**
     * A named job over the rows of a table.
     *
     * @param name 1 to 200 characters ({@code String.length()}), compared exactly, without a blank at either end
     * @throws IllegalArgumentException if it is no such name
     */
    public Run run(String name) {
        return new Run(context, open, Names.checkStripped("run's name", name));
    }

    /**
     * How far all runs are, sorted by name.
     *
     * @throws DibsException if the database can not be asked
     */
    public List<RunStatus> runs() {
        context.requireOpen();
        if (!context.schema().isListable("list_runs")) {
            return List.of();
        }
        try {
            return Run.all(context.database());
        } catch (SqlFailure e) {
            throw context.errors().explain(e);
        }
    }

    /** Ends all workers, which have a time of their own for that, releases all claims and ends the threads. */
    public void close(Duration patience) {
        open.forEach(RunWorkers::stop);
        open.forEach(RunWorkers::close);
        keeper.close(Deadline.in(patience));
    }
}
