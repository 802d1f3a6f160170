package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request of a writer for the gate, and then whether the readers have left: the statements of {@code read_write.sql}. */
public record WriterRequest(String name) implements LeaseRequest {

    @Override
    public LeaseKind kind() {
        return LeaseKind.GATE;
    }

    /** The gate if it is held, or else a reader. */
    @Override
    public @Nullable AcquireOutcome look(Database database) throws SqlFailure {
        AcquireOutcome writer = look(database, LeaseKind.GATE);
        return writer == null ? look(database, LeaseKind.READER) : writer;
    }

    private @Nullable AcquireOutcome look(Database database, LeaseKind kind) throws SqlFailure {
        return AcquireOutcome.inTheWay(kind.look(database, name, LockRequest.LOOK_TIMEOUT), kind);
    }

    /**
     * Asks whether the readers have left.
     *
     * @return the row that is ours with that owner, if so; else one of theirs, if one is known
     */
    List<LeaseRow> enter(Database database, String owner, long lease) throws SqlFailure {
        Params params = Params.of("name", name).with("owner", owner);
        return database.call("enter_gate", params, LeaseKind.timeout(lease), LeaseRow::read)
                .rows();
    }
}
