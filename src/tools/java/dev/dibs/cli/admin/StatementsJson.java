package dev.dibs.cli.admin;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import java.util.List;
import java.util.Locale;

/** Statements for programs. */
final class StatementsJson {

    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private StatementsJson() {}

    static String of(String dialect, String prefix, Placeholders style, List<StatementText> statements) {
        JsonObject all = new JsonObject();
        all.addProperty("dialect", dialect);
        all.addProperty("prefix", prefix);
        all.addProperty("style", style.name().toLowerCase(Locale.ROOT));
        JsonArray list = new JsonArray();
        statements.forEach(statement -> list.add(json(statement)));
        all.add("statements", list);
        return GSON.toJson(all);
    }

    private static JsonObject json(StatementText statement) {
        JsonObject json = new JsonObject();
        json.addProperty("name", statement.name());
        json.addProperty("contract", statement.contract());
        json.addProperty("transaction", statement.transaction());
        json.addProperty("connection", statement.steps().size() > 1 ? "one for all steps" : "any");
        JsonArray parameters = new JsonArray();
        statement.parameters().forEach(parameter -> parameters.add(json(parameter)));
        json.add("parameters", parameters);
        JsonArray steps = new JsonArray();
        statement.steps().forEach(step -> steps.add(json(step)));
        json.add("steps", steps);
        return json;
    }

    private static JsonObject json(StatementText.Parameter parameter) {
        JsonObject json = new JsonObject();
        json.addProperty("name", parameter.name());
        json.addProperty("type", parameter.type());
        json.addProperty("unit", parameter.unit());
        return json;
    }

    private static JsonObject json(StatementText.Step step) {
        JsonObject json = new JsonObject();
        json.addProperty("when", step.when().toString());
        json.addProperty("sql", step.sql());
        JsonArray binds = new JsonArray();
        step.binds().forEach(binds::add);
        json.add("binds", binds);
        if (step.key() != null) {
            json.addProperty("generatedKey", step.key());
        }
        return json;
    }
}
