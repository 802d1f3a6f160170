package dev.dibs.text;

import com.google.gson.JsonObject;
import dev.dibs.once.OnceInfo;
import java.time.Duration;
import java.util.List;

/** Work that is done once a period, as JSON. */
public final class OncesJson {

    private OncesJson() {}

    public static String of(List<OnceInfo> onces) {
        return JsonText.of(JsonText.array(onces, OncesJson::object));
    }

    private static JsonObject object(OnceInfo once) {
        JsonObject object = new JsonObject();
        object.addProperty("name", once.name());
        object.addProperty("running", once.running().isPresent());
        object.addProperty("holder", once.holder());
        object.addProperty("lastSuccess", JsonText.time(once.lastSuccess()));
        object.addProperty("lastFailure", JsonText.time(once.lastFailure()));
        object.addProperty("error", once.error());
        object.addProperty("failures", once.failures());
        object.addProperty("retryAt", JsonText.time(once.retryAt()));
        object.addProperty(
                "lastDurationMillis",
                once.lastDuration().map(Duration::toMillis).orElse(null));
        return object;
    }
}
