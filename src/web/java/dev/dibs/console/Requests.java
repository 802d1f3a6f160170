package dev.dibs.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a request asks for, wherever the servlet is mounted. */
final class Requests {

    private Requests() {}

    /** The page, without a slash; null if the address does not even end in one. */
    static @Nullable String page(HttpServletRequest request) {
        String path = request.getPathInfo();
        if (path == null) {
            // Mounted at "/", the path is that of the servlet; at "/console/*" there is none.
            MappingMatch match = request.getHttpServletMapping().getMappingMatch();
            path = match == MappingMatch.DEFAULT || match == MappingMatch.CONTEXT_ROOT ? request.getServletPath() : "";
        }
        if (path.isEmpty()) {
            return request.getRequestURI().endsWith("/") ? "" : null;
        }
        return path.substring(1);
    }

    /** As the caller wrote it, so that it is right behind a proxy that leaves paths alone. */
    static String withSlash(HttpServletRequest request) {
        String uri = request.getRequestURI();
        // The last part alone, relative to where it is: no address can be smuggled in.
        return "./" + uri.substring(uri.lastIndexOf('/') + 1).replaceAll("[;?#].*", "") + "/";
    }

    /** Read by us, since containers differ in what encoding they take. */
    static Map<String, String> query(HttpServletRequest request) {
        Map<String, String> query = new LinkedHashMap<>();
        String text = request.getQueryString();
        if (text != null) {
            for (String part : text.split("&", -1)) {
                int is = part.indexOf('=');
                if (is > 0) {
                    query.putIfAbsent(decoded(part.substring(0, is)), decoded(part.substring(is + 1)));
                }
            }
        }
        return query;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    static boolean wantsJson(HttpServletRequest request, Map<String, String> query) {
        String format = query.get("format");
        if (format != null) {
            return format.equals("json");
        }
        String accept = request.getHeader("Accept");
        if (accept == null) {
            return false;
        }
        String lower = accept.toLowerCase(Locale.ROOT);
        return lower.contains("application/json") && !lower.contains("text/html");
    }
}
