package dev.dibs.internal.lease;

import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one of the permits of a semaphore is asked for: the statements of {@code semaphores.sql}. */
public record PermitRequest(Database database, String name, long permits) implements LeaseRequest {

    private static final int TRIES_IF_LOCKED = 4;

    @Override
    public LeaseKind kind() {
        return LeaseKind.PERMIT;
    }

    @Override
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        Params params = params(owner, holder, lease).with("permits", permits);
        List<LeaseRow> rows = database.call(
                        "acquire_permit", params, LeaseKind.timeout(lease), LeaseRow::readSlot, LeaseRow::isHeld)
                .rows();
        // The slot that was looked at may be another one than the slot that was taken: it has no part in it.
        return rows.stream()
                .filter(row -> row.isOwnedBy(owner))
                .findFirst()
                .map(ours ->
                        rows.stream().filter(row -> row.slot() == ours.slot()).toList())
                .orElse(rows);
    }

    @Override
    public @Nullable Attempt look() throws SqlFailure {
        Params params = Params.of("name", name).with("permits", permits);
        List<LeaseRow> rows = database.call("look_permit", params, LockRequest.LOOK_TIMEOUT, LeaseRow::readSlot)
                .rows();
        return rows.isEmpty() ? null : Attempt.inTheWay(rows.get(0));
    }

    @Override
    public boolean hasSteps() {
        return database.statements().hasSteps("acquire_permit");
    }

    /** A slot that has passed may be locked for the moment in which somebody takes it, while the next one is free. */
    @Override
    public int triesIfLocked() {
        return TRIES_IF_LOCKED;
    }
}
