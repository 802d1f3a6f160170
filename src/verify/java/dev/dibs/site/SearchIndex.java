package dev.dibs.site;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the search of the site finds. */
final class SearchIndex {

    private static final String PAGES = "docs";

    private SearchIndex() {}

    /**
     * Of source files and statements only the titles stay. Their texts are four fifths of what the browser would load; and each statement
     * is there once for each database, so they would hide the pages that explain them.
     */
    static void trim(Path site) throws IOException {
        Path file = site.resolve("search/search_index.json");
        JsonObject index = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        JsonArray kept = new JsonArray();
        for (JsonElement page : index.getAsJsonArray(PAGES)) {
            JsonObject section = page.getAsJsonObject();
            String location = section.get("location").getAsString();
            boolean isText = location.matches("docs/.*|examples/.*|index\\.html.*|[A-Z]+\\.html.*|#.*|");
            if (!isText) {
                section.addProperty("text", "");
            }
            if (isText || !location.contains("#")) {
                kept.add(section);
            }
        }
        index.add(PAGES, kept);
        Files.writeString(file, index.toString());
    }
}
