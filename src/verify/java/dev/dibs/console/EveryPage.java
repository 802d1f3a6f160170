package dev.dibs.console;

import dev.dibs.Dibs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** All pages of the console, for a person and for a program. */
public final class EveryPage {

    /** A link in the head of every page. */
    private static final Pattern LINK = Pattern.compile("<li><a href=\"([^\"]+)\"( aria-current=\"page\")?>");

    private EveryPage() {}

    /** The text by page; a page for programs ends in {@code .json}. An unsuccessful answer begins with its status. */
    public static Map<String, String> of(Dibs dibs) {
        Pages pages = new Pages(new Snapshot(dibs, System::nanoTime));
        Map<String, String> texts = new LinkedHashMap<>();
        List<String> all = new ArrayList<>(linked(text(pages, "", false)));
        all.add("metrics");
        for (String page : all) {
            texts.put(page, text(pages, page, false));
            texts.put(page + ".json", text(pages, page, true));
        }
        pages.close();
        return texts;
    }

    /** The addresses of the pages to which the head of this one leads; empty for the first page. */
    static List<String> linked(String page) {
        return LINK.matcher(page.substring(page.indexOf("<nav"), page.indexOf("</nav>")))
                .results()
                .map(link -> link.group(1).replace("./", ""))
                .toList();
    }

    private static String text(Pages pages, String page, boolean json) {
        PageRequest.Who who = new PageRequest.Who("ann", "", true);
        PageRequest pageRequest =
                new PageRequest(page, Map.of(), Map.of(), who, json, false, "", Optional.empty(), Optional.empty());
        Answer answer = pages.get(pageRequest);
        return (answer.status() == 200 ? "" : answer.status() + ": ") + answer.body();
    }
}
