package dev.dibs.console;

import dev.dibs.Dibs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All pages of the console, for a person and for a program. */
public final class EveryPage {

    private static final List<String> PAGES = List.of("", "locks", "onces", "runs", "tokens", "health", "metrics");

    private EveryPage() {}

    /** The text by page; a page for programs ends in {@code .json}. An unsuccessful answer begins with its status. */
    public static Map<String, String> of(Dibs dibs) {
        Pages pages = new Pages(new Snapshot(dibs, System::nanoTime), new Assets());
        Map<String, String> texts = new LinkedHashMap<>();
        for (String page : PAGES) {
            texts.put(page, text(pages, page, false));
            texts.put(page + ".json", text(pages, page, true));
        }
        pages.close();
        return texts;
    }

    private static String text(Pages pages, String page, boolean json) {
        PageRequest.Who who = new PageRequest.Who("ann", "", true);
        PageRequest pageRequest =
                new PageRequest(page, Map.of(), Map.of(), who, json, false, "", Optional.empty(), Optional.empty());
        Answer answer = pages.get(pageRequest);
        return (answer.status() == 200 ? "" : answer.status() + ": ") + answer.body();
    }
}
