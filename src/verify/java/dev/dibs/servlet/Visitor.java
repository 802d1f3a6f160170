package dev.dibs.servlet;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A user with a browser. */
final class Visitor {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final HttpClient browser = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .cookieHandler(new CookieManager())
            .build();
    private final String url;
    private final String[] headers;

    Visitor(String url, String... headers) {
        this.url = url;
        this.headers = headers;
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return browser.send(request(path).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return browser.send(request(path).POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    }

    /** Does not wait for the answer. */
    CompletableFuture<HttpResponse<String>> ask(String path) {
        return browser.sendAsync(request(path).build(), BodyHandlers.ofString());
    }

    /** The same with a method that the browser does not repeat by itself when it is cut off. */
    CompletableFuture<HttpResponse<String>> askOnce(String path) {
        return browser.sendAsync(request(path).POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(PATIENCE);
        return headers.length == 0 ? request : request.headers(headers);
    }
}
