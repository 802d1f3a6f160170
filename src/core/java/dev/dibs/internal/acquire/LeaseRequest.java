package dev.dibs.internal.acquire;

import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.OwnerToken;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request for a lease: a name of one kind, and the statements that acquire it. */
public interface LeaseRequest {

    LeaseKind kind();

    String name();

    /** The names that it acquires, all or none. The first is {@link #name} and stands for all. */
    default List<String> names() {
        return List.of(name());
    }

    /** How many milliseconds it stays busy after its acquisition, even if it is released before. */
    default long hold() {
        return 0;
    }

    /** The name under which callers of this JVM wait for it. A caller that wants one lock does not wait behind one that wants several. */
    default LeaseName room() {
        return new LeaseName(kind().waitsFor(), name());
    }

    /** What acquires it. */
    default AcquireStatement statement(Database database) {
        return (key, holder, lease) -> database.call(
                        kind().acquire(), LeaseKind.timeout(lease), key.name(), key.owner(), holder, lease)
                .rows();
    }

    /** The row in the way, if a look without a row lock shows that an acquire would fail; else null. */
    @Nullable
    AcquireOutcome look(Database database) throws SqlFailure;

    /** Whether it must not be acquired without a look that has shown it free. Else a look only saves an acquire. */
    default boolean requiresLook() {
        return false;
    }

    /** The row of an unanswered acquire, if it has taken effect and can be used; else null, perhaps only for now. */
    default @Nullable LeaseRow find(Database database, String owner, long lease) throws SqlFailure {
        return kind().findOne(database, new LeaseKeys.Key(name(), owner), lease);
    }

    /** The rows that an acquire with that token adds or changes: each name has an owner token of its own. */
    default LeaseKeys keys(String owner) {
        List<LeaseKeys.Key> keys = new ArrayList<>();
        for (int i = 0; i < names().size(); i++) {
            keys.add(new LeaseKeys.Key(names().get(i), OwnerToken.nth(owner, i)));
        }
        return new LeaseKeys(keys);
    }
}
