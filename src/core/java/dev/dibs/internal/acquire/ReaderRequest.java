package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request of a reader: the statements of {@code read_write.sql}. It waits for the gate, like a writer.
 */
public record ReaderRequest(String name) implements LeaseRequest {

    @Override
    public LeaseKind kind() {
        return LeaseKind.READER;
    }

    @Override
    public @Nullable AcquireOutcome look(Database database) throws SqlFailure {
        List<LeaseRow> gates = LeaseKind.GATE.look(database, name, LockRequest.LOOK_TIMEOUT);
        return AcquireOutcome.inTheWay(gates, LeaseKind.GATE);
    }

    /** Always null: the row may exist only because the step that removes it is still on its way. Ask again with a new token. */
    @Override
    public @Nullable LeaseRow find(Database by, String owner, long lease) {
        return null;
    }
}
