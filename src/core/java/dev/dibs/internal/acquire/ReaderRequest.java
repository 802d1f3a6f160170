package dev.dibs.internal.acquire;

import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.FreeText;
import dev.dibs.internal.sql.run.NamedStatement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request of a reader: the statements of {@code read_write.sql}. It waits for the gate, like a writer.
 */
public record ReaderRequest(Database database, String name) implements LeaseRequest, AcquireStatement {

    private static final NamedStatement<LeaseRow> ACQUIRE =
            LeaseKind.READER.acquire().stopsWhen((row, values) -> row.isOwnedBy((String) values[1]));

    @Override
    public AcquireStatement statement() {
        return this;
    }

    @Override
    public LeaseKind kind() {
        return LeaseKind.READER;
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key key, FreeText holder, long lease) throws SqlFailure {
        return database.call(ACQUIRE, LeaseKind.timeout(lease), key.name(), key.owner(), holder, lease)
                .rows();
    }

    @Override
    public @Nullable AcquireOutcome look() throws SqlFailure {
        List<LeaseRow> gates = LeaseKind.GATE.look(database, name, LockRequest.LOOK_TIMEOUT);
        return AcquireOutcome.inTheWay(gates, LeaseKind.GATE);
    }

    /** Always null: the row may exist only because the step that removes it is still on its way. Ask again with a new token. */
    @Override
    public @Nullable LeaseRow find(Database by, String owner, long lease) {
        return null;
    }
}
