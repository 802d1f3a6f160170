package dev.dibs.cli;

import com.google.gson.JsonObject;
import dev.dibs.HolderInfo;
import dev.dibs.LockInfo;
import java.util.List;

/** Holders for programs. */
final class LocksJson {

    private LocksJson() {}

    static String of(List<HolderInfo> holders) {
        return JsonText.of(JsonText.array(holders, LocksJson::object));
    }

    private static JsonObject object(HolderInfo holder) {
        LockInfo lock = holder.lock();
        JsonObject object = new JsonObject();
        object.addProperty("name", lock.name());
        object.addProperty("kind", LocksTable.kind(holder));
        object.addProperty("holder", lock.holder());
        object.addProperty("fence", lock.fence());
        object.addProperty("since", JsonText.time(lock.since()));
        object.addProperty("until", JsonText.time(lock.until()));
        return object;
    }
}
