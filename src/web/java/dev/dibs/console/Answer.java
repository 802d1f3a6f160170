package dev.dibs.console;

import java.util.Map;

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

    static Answer html(int status, String body) {
        return new Answer(status, HTML, body, Map.of());
    }

    static Answer text(int status, String body) {
        return new Answer(status, TEXT, body + "\n", Map.of());
    }

    /** See Other, so that a reload does not press the button again. */
    static Answer redirect(String to) {
        return new Answer(303, TEXT, "", Map.of("Location", to));
    }
}
