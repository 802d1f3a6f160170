package dev.dibs.cli.token;

import com.google.gson.JsonObject;
import dev.dibs.cli.terminal.TextTable;
import dev.dibs.text.JsonText;
import dev.dibs.text.OneLine;
import dev.dibs.text.Words;
import dev.dibs.tokens.TokenCounts;
import dev.dibs.tokens.TokenInfo;
import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Results for tokens, for people and for programs; none of them has the token itself. */
final class TokenText {

    private TokenText() {}

    static String json(TokenResult result) {
        JsonObject object = new JsonObject();
        object.addProperty("status", word(result.status()));
        object.addProperty("subject", result.subject().orElse(null));
        object.addProperty("payload", result.payload().orElse(null));
        object.addProperty("issued", result.issued().map(JsonText::time).orElse(null));
        object.addProperty("when", result.when().map(JsonText::time).orElse(null));
        object.addProperty("sameAttempt", result.sameAttempt());
        object.addProperty("attemptsLeft", result.status() == TokenStatus.WRONG ? result.attemptsLeft() : null);
        return JsonText.of(object);
    }

    static String json(List<TokenInfo> issued) {
        return JsonText.of(JsonText.array(issued, info -> {
            JsonObject object = new JsonObject();
            object.addProperty("kind", kind(info));
            object.addProperty("status", word(info.status()));
            object.addProperty("issued", JsonText.time(info.issued()));
            object.addProperty("when", JsonText.time(info.when()));
            return object;
        }));
    }

    static String list(List<TokenInfo> issued) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("KIND", "STATUS", "ISSUED", "WHEN"));
        issued.forEach(info ->
                rows.add(List.of(kind(info), word(info.status()), Words.time(info.issued()), Words.time(info.when()))));
        return TextTable.of(rows);
    }

    private static String kind(TokenInfo info) {
        return info.code() ? "code" : "token";
    }

    private static String word(TokenStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    /** The facts of a valid token, one a line. */
    static List<String> lines(TokenResult result) {
        List<String> lines = new ArrayList<>();
        lines.add("status   " + word(result.status()) + (result.sameAttempt() ? ", by the same attempt" : ""));
        result.subject().ifPresent(subject -> lines.add("subject  " + OneLine.escape(subject)));
        result.payload().ifPresent(payload -> lines.add("payload  " + OneLine.escape(payload)));
        result.issued().ifPresent(issued -> lines.add("issued   " + Words.time(issued)));
        return lines;
    }

    /** Why a token is not valid. */
    static String refusal(TokenResult result) {
        String whose = result.subject().map(subject -> " of '" + subject + "'").orElse("");
        return switch (result.status()) {
            case OK -> "it is good";
            case UNKNOWN -> "refused: it is unknown: never issued for this purpose, or purged";
            case EXPIRED -> "refused: the one" + whose + " expired" + at(result.when());
            case REVOKED -> "refused: the one" + whose + " was revoked" + at(result.when());
            case USED -> "refused: the one" + whose + " was used" + at(result.when());
            case WRONG -> "refused: that is not the code" + whose + "; attempts left: " + result.attemptsLeft();
            case LOCKED ->
                "refused: too many wrong codes were tried; none" + whose + " is taken"
                        + result.when()
                                .map(until -> " until " + Words.time(until))
                                .orElse("");
        };
    }

    private static String at(Optional<Instant> when) {
        return when.map(time -> " at " + Words.time(time)).orElse("");
    }

    static String table(List<TokenCounts> counts) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("PURPOSE", "LIVE", "USED", "REVOKED", "EXPIRED"));
        counts.forEach(count -> rows.add(List.of(
                OneLine.escape(count.purpose()),
                Long.toString(count.live()),
                Long.toString(count.used()),
                Long.toString(count.revoked()),
                Long.toString(count.expired()))));
        return TextTable.of(rows);
    }
}
