package dev.dibs.console;

import dev.dibs.text.Html;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An HTTP answer.
 *
 * @param status the HTTP status
 * @param type the content type of the body
 * @param body the content
 * @param headers further headers besides those of every answer
 */
record Answer(int status, String type, String body, Map<String, String> headers) {

    static final String HTML = "text/html;charset=UTF-8";
    static final String TEXT = "text/plain;charset=UTF-8";
    static final String JSON = "application/json;charset=UTF-8";

    /** The header with the full length of a list that was cut. */
    static final String TOTAL = "Dibs-Total";

    private static final String NO_GSON = "JSON needs com.google.code.gson:gson among the application's libraries";

    private static final int LONGEST_LIST = 10_000;

    static Answer html(Html.Template template) {
        return html(200, template);
    }

    static Answer html(int status, Html.Template template) {
        return new Answer(status, HTML, Html.of(template), Map.of());
    }

    static Answer text(int status, String body) {
        return new Answer(status, TEXT, body + "\n", Map.of());
    }

    /** JSON, if the application has Gson. The writer is a lambda: a method reference would load Gson's classes before the call. */
    static Answer json(Supplier<String> writer) {
        return json(writer, Map.of());
    }

    /** A list as JSON, or as much of it as the visitor wants. */
    static <T> Answer list(List<T> all, PageRequest request, Function<List<T>, String> writer) {
        int limit = request.param("limit").isEmpty() ? Pagination.ROWS : request.number("limit", 0, LONGEST_LIST);
        List<T> shown = all.subList(0, Math.min(limit, all.size()));
        return json(() -> writer.apply(shown), Map.of(TOTAL, Integer.toString(all.size())));
    }

    private static Answer json(Supplier<String> writer, Map<String, String> headers) {
        try {
            return new Answer(200, JSON, writer.get() + "\n", headers);
        } catch (NoClassDefFoundError e) {
            return text(501, NO_GSON);
        }
    }

    /** See Other, so that a reload does not press the button again. */
    static Answer redirect(String to) {
        return new Answer(303, TEXT, "", Map.of("Location", to));
    }
}
