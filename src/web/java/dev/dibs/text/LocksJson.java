package dev.dibs.text;

import com.google.gson.JsonObject;
import dev.dibs.LeaseInfo;
import java.util.List;

/** Holders as JSON. */
public final class LocksJson {

    private LocksJson() {}

    public static String of(List<LeaseInfo> holders) {
        return JsonText.of(JsonText.array(holders, LocksJson::object));
    }

    /** The same in one line. */
    public static String line(List<LeaseInfo> holders) {
        return JsonText.oneLine(JsonText.array(holders, LocksJson::object));
    }

    private static JsonObject object(LeaseInfo lock) {
        JsonObject object = new JsonObject();
        object.addProperty("name", lock.name());
        object.addProperty("kind", Words.kind(lock));
        object.addProperty("holder", lock.holder());
        object.addProperty("fence", lock.fencingToken());
        object.addProperty("since", JsonText.time(lock.since()));
        object.addProperty("until", JsonText.time(lock.until()));
        return object;
    }
}
