package dev.dibs.internal.acquire;

import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.FreeText;
import dev.dibs.internal.sql.run.NamedStatement;
import dev.dibs.internal.sql.run.Params;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request of a writer for the gate, and then whether the readers have left: the statements of {@code read_write.sql}. */
public record WriterRequest(Database database, String name) implements LeaseRequest, AcquireStatement {

    private static final NamedStatement<LeaseRow> ACQUIRE =
            LeaseKind.GATE.acquire().stopsWhen(LeaseRow::isHeld);

    @Override
    public AcquireStatement statement() {
        return this;
    }

    @Override
    public LeaseKind kind() {
        return LeaseKind.GATE;
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key key, FreeText holder, long lease) throws SqlFailure {
        return database.call(ACQUIRE, LeaseKind.timeout(lease), key.name(), key.owner(), holder, lease)
                .rows();
    }

    /** The gate if it is held, or else a reader. */
    @Override
    public @Nullable AcquireOutcome look() throws SqlFailure {
        AcquireOutcome writer = look(LeaseKind.GATE);
        return writer == null ? look(LeaseKind.READER) : writer;
    }

    private @Nullable AcquireOutcome look(LeaseKind kind) throws SqlFailure {
        return AcquireOutcome.inTheWay(kind.look(database, name, LockRequest.LOOK_TIMEOUT), kind);
    }

    /**
     * Asks whether the readers have left.
     *
     * @return the row that is ours with that owner, if so; else one of theirs, if one is known
     */
    List<LeaseRow> enter(String owner, long lease) throws SqlFailure {
        Params params = Params.of("name", name).with("owner", owner);
        return database.call("enter_gate", params, LeaseKind.timeout(lease), LeaseRow::read)
                .rows();
    }
}
