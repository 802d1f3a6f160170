package dev.dibs.internal.once;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.schema.Schema;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.once.OnceBuilder;
import dev.dibs.once.OnceInfo;
import java.time.Duration;
import java.util.List;

/** The work of one Dibs that is done once a period. Get it by {@code Dibs.once(..)}. */
public final class Onces {

    private final OnceContext context;
    private final Schema schema;

    /** For Dibs itself. */
    public Onces(Database database, Acquirer acquirer, LeaseKeeper keeper, Errors errors, Schema schema) {
        this.context = OnceContext.of(database, acquirer, keeper, errors);
        this.schema = schema;
    }

    /**
     * See {@code Dibs.once(String)}.
     *
     * @param name checked
     * @param lease the default
     */
    public OnceBuilder of(String name, Duration lease) {
        return new OnceSpec(context, name, lease);
    }

    /**
     * See {@code Dibs.onces()}.
     *
     * @throws DatabaseFailureException if the database gives no answer
     */
    public List<OnceInfo> list() {
        context.keeper().requireOpen();
        if (!schema.isListable("list_onces")) {
            return List.of();
        }
        try {
            return context
                    .database()
                    .call("list_onces", Params.none(), OnceContext.TIMEOUT, OnceRow::read)
                    .rows()
                    .stream()
                    .map(OnceRow::info)
                    .toList();
        } catch (SqlFailure e) {
            throw context.errors().explain(e);
        }
    }
}
