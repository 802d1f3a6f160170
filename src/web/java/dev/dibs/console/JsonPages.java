package dev.dibs.console;

import com.google.gson.JsonObject;
import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.JsonText;
import dev.dibs.text.LocksJson;
import dev.dibs.text.OncesJson;
import dev.dibs.text.RunJson;
import dev.dibs.text.TokensJson;
import dev.dibs.tokens.TokenCounts;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The pages as JSON, in the same forms as those of the command. Only this class of the console needs Gson. */
final class JsonPages {

    /** The header with the full length of a list that was cut. */
    static final String TOTAL = "Dibs-Total";

    private static final int MOST = 10_000;

    private JsonPages() {}

    static Answer overview(List<Trouble> troubles, int held, int onces, int runs) {
        JsonObject page = new JsonObject();
        page.addProperty("held", held);
        page.addProperty("onces", onces);
        page.addProperty("runs", runs);
        page.add("stuck", JsonText.array(troubles, JsonPages::trouble));
        return json(200, JsonText.of(page), Map.of());
    }

    private static JsonObject trouble(Trouble trouble) {
        JsonObject object = new JsonObject();
        object.addProperty("level", trouble.level().name().toLowerCase(Locale.ROOT));
        object.addProperty("what", trouble.what());
        object.addProperty("name", trouble.name());
        object.addProperty("message", trouble.message());
        object.addProperty("since", JsonText.time(trouble.since()));
        object.addProperty("press", trouble.press());
        return object;
    }

    static Answer locks(List<LeaseInfo> holders, PageRequest pageRequest) {
        return list(holders, pageRequest, LocksJson::of);
    }

    static Answer onces(List<OnceInfo> onces, PageRequest pageRequest) {
        return list(onces, pageRequest, OncesJson::of);
    }

    static Answer runs(List<RunStatus> runs, PageRequest pageRequest) {
        return list(runs, pageRequest, RunJson::runs);
    }

    private interface Writer<T> {
        String of(List<T> list);
    }

    private static <T> Answer list(List<T> all, PageRequest pageRequest, Writer<T> writer) {
        int limit = pageRequest.param("limit").isEmpty() ? Pagination.ROWS : pageRequest.number("limit", 0, MOST);
        List<T> shown = all.subList(0, Math.min(limit, all.size()));
        return json(200, writer.of(shown), Map.of(TOTAL, Integer.toString(all.size())));
    }

    static Answer run(RunStatus run) {
        return json(200, JsonText.of(RunJson.status(run)), Map.of());
    }

    static Answer detail(Snapshot.Detail detail, String which) {
        UnaryOperator<String> masked = UnaryOperator.identity();
        return switch (which) {
            case "errors" -> json(200, RunJson.errors(detail.errors(), true, masked), Map.of());
            case "dead" -> json(200, RunJson.dead(detail.dead(), masked), Map.of());
            default -> problem(400, "show is errors or dead");
        };
    }

    static Answer tokens(List<TokenCounts> counts) {
        return json(200, TokensJson.of(counts), Map.of());
    }

    static Answer findings(List<Finding> findings) {
        return json(200, JsonText.of(JsonText.array(findings, JsonPages::finding)), Map.of());
    }

    private static JsonObject finding(Finding finding) {
        JsonObject object = new JsonObject();
        object.addProperty("level", finding.level().name().toLowerCase(Locale.ROOT));
        object.addProperty("subject", finding.subject());
        object.addProperty("message", Format.masked(finding.message()));
        object.addProperty("remedy", finding.remedy());
        return object;
    }

    static Answer problem(int status, String text) {
        JsonObject object = new JsonObject();
        object.addProperty("error", text);
        return json(status, JsonText.of(object), Map.of());
    }

    private static Answer json(int status, String text, Map<String, String> headers) {
        return new Answer(status, Answer.JSON, text + "\n", headers);
    }
}
