package dev.dibs.text;

import com.google.gson.JsonObject;
import dev.dibs.tokens.TokenCounts;
import java.util.List;

/** The number of tokens as JSON. */
public final class TokensJson {

    private TokensJson() {}

    public static String of(List<TokenCounts> counts) {
        return JsonText.of(JsonText.array(counts, TokensJson::object));
    }

    private static JsonObject object(TokenCounts counts) {
        JsonObject object = new JsonObject();
        object.addProperty("purpose", counts.purpose());
        object.addProperty("live", counts.live());
        object.addProperty("used", counts.used());
        object.addProperty("revoked", counts.revoked());
        object.addProperty("expired", counts.expired());
        return object;
    }
}
