package dev.dibs.cli;

import com.google.gson.JsonObject;
import dev.dibs.LockInfo;
import java.util.List;

/** Locks for programs. */
final class LocksJson {

    private LocksJson() {}

    static String of(List<LockInfo> locks) {
        return JsonText.of(JsonText.array(locks, LocksJson::object));
    }

    private static JsonObject object(LockInfo lock) {
        JsonObject object = new JsonObject();
        object.addProperty("name", lock.name());
        object.addProperty("holder", lock.holder());
        object.addProperty("fence", lock.fence());
        object.addProperty("since", JsonText.time(lock.since()));
        object.addProperty("until", JsonText.time(lock.until()));
        return object;
    }
}
