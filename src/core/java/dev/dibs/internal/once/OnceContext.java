package dev.dibs.internal.once;

import dev.dibs.DibsException;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.internal.time.LocalClock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all work of one instance shares.
 *
 * @param schedules cron expressions that have been parsed, since that takes long
 */
record OnceContext(
        Database database,
        Acquirer acquirer,
        LeaseKeeper keeper,
        Errors errors,
        OnceMemory memory,
        Map<String, OnceSchedule> schedules) {

    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int SCHEDULES = 1_000;

    static OnceContext of(Database database, Acquirer acquirer, LeaseKeeper keeper, Errors errors) {
        return new OnceContext(
                database, acquirer, keeper, errors, new OnceMemory(keeper.clock()), new ConcurrentHashMap<>());
    }

    LocalClock clock() {
        return keeper.clock();
    }

    @Nullable
    OnceRow look(String name) throws SqlFailure {
        List<OnceRow> rows = database.call("look_once", Params.of("name", name), TIMEOUT, OnceRow::read)
                .rows();
        return rows.isEmpty() ? null : rows.get(0);
    }

    /** Also forgets the remembered answer. */
    boolean forget(String name) {
        keeper.requireOpen();
        try {
            return database.call("forget_once", Params.of("name", name), TIMEOUT)
                    .hit();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        } finally {
            memory.forget(name);
        }
    }

    OnceSchedule cron(String text, ZoneId zone) {
        String key = zone + " " + text;
        OnceSchedule known = schedules.get(key);
        if (known != null) {
            return known;
        }
        OnceSchedule parsed = parse(text, zone);
        if (schedules.size() < SCHEDULES) {
            schedules.put(key, parsed);
        }
        return parsed;
    }

    private static OnceSchedule parse(String text, ZoneId zone) {
        try {
            return OnceCron.parse(text, zone);
        } catch (NoClassDefFoundError e) {
            throw new DibsException(
                    "cron(..) needs the library cron-utils, which Dibs does not bring along: add com.cronutils:cron-utils, 9.2 or"
                            + " later, to the application's dependencies",
                    e);
        }
    }
}
