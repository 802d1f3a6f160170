package dev.dibs.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.dibs.LockInfo;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** Locks for programs: the same keys in the same order, times always with milliseconds. */
final class LocksJson {

    private static final Gson GSON =
            new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create();

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private LocksJson() {}

    static String of(List<LockInfo> locks) {
        JsonArray array = new JsonArray();
        locks.forEach(lock -> array.add(object(lock)));
        return GSON.toJson(array);
    }

    private static JsonObject object(LockInfo lock) {
        JsonObject object = new JsonObject();
        object.addProperty("name", lock.name());
        object.addProperty("holder", lock.holder());
        object.addProperty("fence", lock.fence());
        object.addProperty("since", time(lock.since()));
        object.addProperty("until", time(lock.until()));
        return object;
    }

    private static String time(Instant instant) {
        return TIME.format(instant);
    }
}
