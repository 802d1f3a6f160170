package dev.dibs.console;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A user with a session, who does not follow redirects. */
final class Browser {

    private static final Pattern CSRF = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"");

    private static final Pattern FIELD = Pattern.compile("<input [^>]*name=\"([^\"]+)\"[^>]* value=\"([^\"]*)\"");

    private final HttpClient client =
            HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    private final String base;
    private final String user;

    /** At the address that ends in a slash. */
    Browser(String base, String user) {
        this.base = base;
        this.user = user;
    }

    HttpResponse<String> get(String path, String... headers) {
        return send(request(path, headers).GET());
    }

    /** The page's text. */
    String page(String path) {
        return get(path).body();
    }

    HttpResponse<String> post(String path, Map<String, String> form, String... headers) {
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return send(request(path, headers)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body)));
    }

    /** The fields of all forms of a page, as it shows them. */
    Map<String, String> fields(String path) {
        return FIELD.matcher(page(path))
                .results()
                .collect(Collectors.toMap(f -> f.group(1), f -> f.group(2), (a, b) -> a));
    }

    /** The token that a button of that page sends. */
    String csrf(String path) {
        Matcher found = CSRF.matcher(page(path));
        if (!found.find()) {
            throw new AssertionError(path + " has no button");
        }
        return found.group(1);
    }

    private HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofMinutes(1));
        if (!user.isEmpty()) {
            String login = user + ":" + user;
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request;
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
