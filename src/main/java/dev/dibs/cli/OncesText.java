package dev.dibs.cli;

import com.google.gson.JsonObject;
import dev.dibs.OnceInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is done once a period, for people and for programs. */
final class OncesText {

    private static final String NONE = "-";

    private OncesText() {}

    static String table(List<OnceInfo> onces) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "STATE", "LAST SUCCESS", "TOOK", "HOLDER", "FAILURES", "LAST FAILURE", "ERROR"));
        onces.forEach(once -> rows.add(cells(once)));
        return TextTable.of(rows);
    }

    private static List<String> cells(OnceInfo once) {
        return List.of(
                OneLine.escape(once.name()),
                once.running().isPresent() ? "running" : once.retryAt().isPresent() ? "failed" : "idle",
                time(once.lastSuccess()),
                once.lastDuration().map(took -> took.toMillis() + " ms").orElse(NONE),
                OneLine.escape(once.holder()),
                Long.toString(once.failures()),
                time(once.lastFailure()),
                once.error().isEmpty() ? NONE : OneLine.escape(once.error()));
    }

    private static String time(Optional<Instant> instant) {
        return instant.map(LocksTable::time).orElse(NONE);
    }

    static String json(List<OnceInfo> onces) {
        return JsonText.of(JsonText.array(onces, OncesText::object));
    }

    private static JsonObject object(OnceInfo once) {
        JsonObject object = new JsonObject();
        object.addProperty("name", once.name());
        object.addProperty("running", once.running().isPresent());
        object.addProperty("holder", once.holder());
        object.addProperty("lastSuccess", jsonTime(once.lastSuccess()));
        object.addProperty("lastFailure", jsonTime(once.lastFailure()));
        object.addProperty("error", once.error());
        object.addProperty("failures", once.failures());
        object.addProperty("retryAt", jsonTime(once.retryAt()));
        object.addProperty(
                "lastDurationMillis",
                once.lastDuration().map(took -> (Number) took.toMillis()).orElse(null));
        return object;
    }

    private static @Nullable String jsonTime(Optional<Instant> instant) {
        return instant.map(JsonText::time).orElse(null);
    }
}
