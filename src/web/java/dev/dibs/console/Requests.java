package dev.dibs.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the page and the parameters of a request, for any mapping of the servlet. */
final class Requests {

    private Requests() {}

    /** The page, without a slash; null if the address has no slash at its end. */
    static @Nullable String page(HttpServletRequest request) {
        String path = request.getPathInfo();
        if (path == null) {
            // With the mapping "/", the path is in the servlet path. With "/console/*" it is in the path info.
            MappingMatch match = request.getHttpServletMapping().getMappingMatch();
            path = match == MappingMatch.DEFAULT || match == MappingMatch.CONTEXT_ROOT ? request.getServletPath() : "";
        }
        if (path.isEmpty()) {
            return request.getRequestURI().endsWith("/") ? "" : null;
        }
        return path.substring(1);
    }

    /** Uses the address as the caller wrote it. So it is right behind a proxy that does not change paths. */
    static String withSlash(HttpServletRequest request) {
        String uri = request.getRequestURI();
        // Only the last part, relative to the request: so no foreign address can be smuggled in.
        return "./" + uri.substring(uri.lastIndexOf('/') + 1).replaceAll("[;?#].*", "") + "/";
    }

    /** Parsed here, because containers use different encodings. */
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
