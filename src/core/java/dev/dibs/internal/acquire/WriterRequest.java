package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request of a writer for the gate, and then whether the readers have left: the statements of {@code read_write.sql}. */
public record WriterRequest(Database database, LeaseKeeper keeper, String name) implements LeaseRequest {

    @Override
    public LeaseKind kind() {
        return LeaseKind.GATE;
    }

    @Override
    public boolean isIntent() {
        return true;
    }

    @Override
    public void requirePossible() {
        if (keeper.hasOfThisThread(LeaseKind.READER, name)) {
            throw new IllegalStateException("this thread acquired a read lease on '" + name
                    + "' that is still open, and a writer waits until every reader has left: it would wait for itself."
                    + " A reader cannot become a writer; close the read lease first, and look again at what you read");
        }
    }

    @Override
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        return LeaseKind.GATE.acquire(database, params(owner, holder, lease), lease, LeaseRow::isHeld);
    }

    /** The gate if it is held, or else a reader. */
    @Override
    public @Nullable Attempt look() throws SqlFailure {
        LeaseRow gate = held(LeaseKind.GATE);
        return gate == null
                ? Attempt.inTheWay(held(LeaseKind.READER), LeaseKind.READER)
                : Attempt.inTheWay(gate, LeaseKind.GATE);
    }

    private @Nullable LeaseRow held(LeaseKind kind) throws SqlFailure {
        return kind.look(database, name, LockRequest.LOOK_TIMEOUT).stream()
                .filter(LeaseRow::isHeld)
                .findFirst()
                .orElse(null);
    }

    @Override
    public List<LeaseRow> enter(String owner, long lease) throws SqlFailure {
        Params params = Params.of("name", name).with("owner", owner);
        return database.call("enter_gate", params, LeaseKind.timeout(lease), LeaseRow::read)
                .rows();
    }

    @Override
    public boolean hasSteps() {
        return LeaseKind.GATE.hasSteps(database);
    }
}
