package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request of a reader: the statements of {@code read_write.sql}. It waits for the gate, like a writer.
 *
 * @param writer the owner of the gate that wants to be a reader too; null for everybody else
 */
public record ReaderRequest(
        Database database, String name, @Nullable String writer) implements LeaseRequest {

    @Override
    public LeaseKind kind() {
        return LeaseKind.READER;
    }

    @Override
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        Params params = params(owner, holder, lease);
        if (writer == null) {
            return LeaseKind.READER.acquire(database, params, lease, row -> row.isOwnedBy(owner));
        }
        List<LeaseRow> rows = database.call(
                        "downgrade_gate", params.with("writer", writer), LeaseKind.timeout(lease), LeaseRow::read)
                .rows();
        // A writer that has lost the gate need not ask again.
        return rows.isEmpty() ? gates() : rows;
    }

    @Override
    public @Nullable Attempt look() throws SqlFailure {
        return writer == null ? Attempt.inTheWay(gates(), LeaseKind.GATE) : null;
    }

    /** Always null: the row may exist only because the step that removes it is still on its way. Ask again with a new token. */
    @Override
    public @Nullable LeaseRow find(Database by, String owner, long lease) {
        return null;
    }

    private List<LeaseRow> gates() throws SqlFailure {
        return LeaseKind.GATE.look(database, name, LockRequest.LOOK_TIMEOUT);
    }
}
