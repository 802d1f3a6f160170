package dev.dibs.text;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes JSON: always the same keys in the same order, null for a missing value, and times with milliseconds. */
public final class JsonText {

    private static final Gson ONE_LINE = builder().create();
    private static final Gson INDENTED = builder().setPrettyPrinting().create();

    /** Further unsafe characters; Gson itself escapes those below the blank. */
    private static final Pattern UNSAFE = Pattern.compile("[\\x7f-\\x9f\\p{Cf}]");

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private JsonText() {}

    private static GsonBuilder builder() {
        return new GsonBuilder().disableHtmlEscaping().serializeNulls();
    }

    public static String of(JsonElement element) {
        return safe(INDENTED.toJson(element));
    }

    public static String oneLine(JsonElement element) {
        return safe(ONE_LINE.toJson(element));
    }

    /** These characters occur only in texts, where their escape code means the same. A terminal would act on some of them. */
    private static String safe(String json) {
        return UNSAFE.matcher(json)
                .replaceAll(found -> found.group()
                        .chars()
                        .mapToObj(unit -> String.format("\\\\u%04x", unit))
                        .collect(Collectors.joining()));
    }

    public static <T> JsonArray array(List<T> all, Function<T, JsonObject> object) {
        JsonArray array = new JsonArray();
        all.forEach(one -> array.add(object.apply(one)));
        return array;
    }

    public static String time(Instant instant) {
        return TIME.format(instant);
    }

    public static @Nullable String time(Optional<Instant> instant) {
        return instant.map(JsonText::time).orElse(null);
    }
}
