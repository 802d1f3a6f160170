package dev.dibs.internal.once;

import dev.dibs.DibsException;
import dev.dibs.internal.acquire.Acquirer;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What all work of one Dibs that is done once a period shares. */
final class OnceContext {

    static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final NamedStatement<OnceRow> LOOK = NamedStatement.of("look_once", OnceRow::read, "name");
    private static final int SCHEDULES = 1_000;

    final Context instance;
    final Acquirer acquirer;
    final OnceMemory memory;
    private final Map<String, OnceSchedule> schedules = new ConcurrentHashMap<>();

    OnceContext(Context instance, Acquirer acquirer) {
        this.instance = instance;
        this.acquirer = acquirer;
        this.memory = new OnceMemory(instance.clock());
    }

    @Nullable
    OnceRow look(String name) throws SqlFailure {
        return instance.database().call(LOOK, TIMEOUT, name).first().orElse(null);
    }

    /** Sends a statement about one piece of work. */
    Call<Boolean> send(String statement, Params params) throws SqlFailure {
        return instance.database().call(statement, params, TIMEOUT);
    }

    /** Also forgets the remembered answer. */
    boolean forget(String name) {
        try {
            return instance.ask(
                    () -> send("forget_once", Params.of("name", name)).hit());
        } finally {
            memory.forget(name);
        }
    }

    /** A parsed cron expression. It is kept, since parsing takes long. */
    OnceSchedule cron(String text, ZoneId zone) {
        String key = zone + " " + text;
        OnceSchedule known = schedules.get(key);
        if (known == null) {
            known = parse(text, zone);
            if (schedules.size() < SCHEDULES) {
                schedules.put(key, known);
            }
        }
        return known;
    }

    static OnceSchedule parse(String text, ZoneId zone) {
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
