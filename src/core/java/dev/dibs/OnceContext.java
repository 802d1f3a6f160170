package dev.dibs;

import dev.dibs.core.Errors;
import dev.dibs.core.LocalClock;
import dev.dibs.core.Schema;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What all that is done once a period shares in one instance.
 *
 * @param schedules cron expressions that have been parsed, since that takes long
 */
record OnceContext(
        Database database,
        Acquirer acquirer,
        LeaseKeeper keeper,
        Errors errors,
        Schema schema,
        OnceMemory memory,
        Map<String, OnceSchedule> schedules) {

    static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int SCHEDULES = 1_000;

    static OnceContext of(Database database, Acquirer acquirer, LeaseKeeper keeper, Errors errors, Schema schema) {
        return new OnceContext(
                database, acquirer, keeper, errors, schema, new OnceMemory(keeper.clock()), new ConcurrentHashMap<>());
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

    List<OnceInfo> list() {
        keeper.requireOpen();
        if (!schema.isListable("list_onces")) {
            return List.of();
        }
        try {
            return database.call("list_onces", Params.none(), TIMEOUT, OnceRow::read).rows().stream()
                    .map(OnceRow::info)
                    .toList();
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    /** What is remembered here goes as well. */
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
