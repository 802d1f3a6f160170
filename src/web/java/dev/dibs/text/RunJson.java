package dev.dibs.text;

import com.google.gson.JsonObject;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Runs as JSON. {@link Masked} has removed the passwords before. */
public final class RunJson {

    private RunJson() {}

    public static String runs(List<RunStatus> runs) {
        return JsonText.of(JsonText.array(runs, RunJson::status));
    }

    public static String run(RunStatus run) {
        return JsonText.of(status(run));
    }

    public static JsonObject status(RunStatus run) {
        JsonObject object = new JsonObject();
        object.addProperty("name", run.name());
        object.addProperty("state", RunNumbers.state(run));
        object.addProperty("changedBy", run.changedBy());
        object.addProperty("changedAt", JsonText.time(run.changedAt()));
        object.addProperty("reason", run.reason());
        object.addProperty("isFinished", run.isFinished());
        object.addProperty("total", orNull(run.total()));
        object.addProperty("done", run.done());
        object.addProperty("left", orNull(run.left()));
        object.addProperty("failed", run.failed());
        object.addProperty("retrying", run.retrying());
        object.addProperty("dead", run.dead());
        object.addProperty("deadBefore", run.deadBefore());
        object.addProperty("rowsPerSecond", run.rowsPerSecond());
        object.addProperty("etaSeconds", run.eta().map(Duration::toSeconds).orElse(null));
        object.addProperty("startedAt", JsonText.time(run.startedAt()));
        object.addProperty("finishedAt", run.finishedAt().map(JsonText::time).orElse(null));
        object.addProperty("at", JsonText.time(run.at()));
        object.addProperty("batch", run.batch());
        object.addProperty("rowsPerSecondLimit", run.rowsPerSecondLimit());
        object.addProperty("maxFailures", run.maxFailures());
        object.addProperty("maxFailurePercent", run.maxFailurePercent());
        object.add("workers", JsonText.array(run.workers(), RunJson::worker));
        return object;
    }

    private static @Nullable Long orNull(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }

    private static JsonObject worker(RunWorkerInfo worker) {
        JsonObject object = new JsonObject();
        object.addProperty("worker", worker.worker());
        object.addProperty("alive", worker.alive());
        object.addProperty("startedAt", JsonText.time(worker.startedAt()));
        object.addProperty("seenAt", JsonText.time(worker.seenAt()));
        object.addProperty("done", worker.done());
        object.addProperty("failed", worker.failed());
        object.addProperty("rowsPerSecond", worker.rowsPerSecond());
        object.addProperty("currentRow", worker.currentRow().orElse(null));
        object.addProperty("error", worker.error().orElse(null));
        return object;
    }

    public static String errors(List<RunError> errors, boolean stack) {
        return JsonText.of(JsonText.array(errors, error -> error(error, stack)));
    }

    private static JsonObject error(RunError error, boolean stack) {
        JsonObject object = row(error.key(), error.failedAt());
        object.addProperty("attempt", error.attempt());
        object.addProperty("worker", error.worker());
        object.addProperty("errorClass", error.errorClass());
        object.addProperty("message", error.message());
        if (stack) {
            object.addProperty("stack", error.stack());
        }
        return object;
    }

    public static String dead(List<DeadLetter> rows) {
        return JsonText.of(JsonText.array(rows, RunJson::deadRow));
    }

    private static JsonObject deadRow(DeadLetter dead) {
        JsonObject object = row(dead.key(), dead.failedAt());
        object.addProperty("attempts", dead.attempts());
        object.addProperty("message", dead.message());
        return object;
    }

    private static JsonObject row(String key, Instant failedAt) {
        JsonObject object = new JsonObject();
        object.addProperty("key", key);
        object.addProperty("failedAt", JsonText.time(failedAt));
        return object;
    }
}
