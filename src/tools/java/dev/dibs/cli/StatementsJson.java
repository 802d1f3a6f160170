package dev.dibs.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.dibs.internal.sql.Placeholders;
import dev.dibs.internal.sql.StatementText;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

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
        Set<String> names = new LinkedHashSet<>();
        JsonArray steps = new JsonArray();
        for (StatementText.Step step : statement.steps()) {
            names.addAll(step.binds());
            steps.add(json(step));
        }
        json.add("parameters", parameters(names));
        json.add("steps", steps);
        return json;
    }

    private static JsonObject json(StatementText.Step step) {
        JsonObject json = new JsonObject();
        json.addProperty("when", step.onlyIfNoRow() ? "if no row so far" : "always");
        json.addProperty("sql", step.sql());
        JsonArray binds = new JsonArray();
        step.binds().forEach(binds::add);
        json.add("binds", binds);
        if (step.key() != null) {
            json.addProperty("generatedKey", step.key());
        }
        return json;
    }

    private static JsonArray parameters(Collection<String> names) {
        JsonArray parameters = new JsonArray();
        for (String name : names) {
            ParameterType type = ParameterType.of(name);
            JsonObject parameter = new JsonObject();
            parameter.addProperty("name", name);
            parameter.addProperty("type", type.type());
            parameter.addProperty("unit", type.unit());
            parameters.add(parameter);
        }
        return parameters;
    }
}
