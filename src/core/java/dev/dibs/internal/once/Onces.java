package dev.dibs.internal.once;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.schema.CapabilityPart;
import dev.dibs.internal.schema.Checks;
import dev.dibs.internal.schema.DatabaseClock;
import dev.dibs.internal.schema.TablesThere;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.once.OnceBuilder;
import dev.dibs.once.OnceInfo;
import java.time.Duration;
import java.util.List;

/** The work of one Dibs that is done once a period. Get it by {@code Dibs.once(..)}. */
public final class Onces implements CapabilityPart {

    private final OnceContext context;

    public Onces(Context instance, Acquirer acquirer) {
        this.context = new OnceContext(instance, acquirer);
    }

    @Override
    public void lookAhead(Checks checks, TablesThere there, DatabaseClock clock) {
        if (there.capabilities().contains("once")) {
            checks.addAll("times ahead", () -> clock.onceAhead(list()));
        }
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
        Database database = context.instance.database();
        return context.instance.list("list_onces", () -> {
            Call<OnceRow> rows = database.call("list_onces", Params.none(), OnceContext.TIMEOUT, OnceRow::read);
            return rows.rows().stream().map(OnceRow::info).toList();
        });
    }
}
