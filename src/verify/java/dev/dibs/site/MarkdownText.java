package dev.dibs.site;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the site needs to know of a page's text. */
final class MarkdownText {

    private static final Pattern TITLE = Pattern.compile("(?m)^# (.+)$");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");
    /** What search engines show. */
    private static final int LONGEST_DESCRIPTION = 160;

    private MarkdownText() {}

    /**
     * A line.
     *
     * @param isCode whether it is in a block of code, or begins or ends one
     */
    record Line(String text, boolean isCode) {}

    static List<Line> lines(String text) {
        List<Line> lines = new ArrayList<>();
        String fence = "";
        for (String line : text.lines().toList()) {
            String bare = line.strip();
            boolean begins = fence.isEmpty() && bare.startsWith("```");
            boolean ends = !fence.isEmpty() && bare.equals(fence);
            lines.add(new Line(line, begins || !fence.isEmpty()));
            if (begins) {
                fence = bare.replaceAll("[^`].*", "");
            } else if (ends) {
                fence = "";
            }
        }
        return lines;
    }

    static String title(String text) {
        Matcher title = TITLE.matcher(text);
        if (!title.find()) {
            throw new IllegalArgumentException(
                    "a page has no title: " + text.lines().findFirst());
        }
        return plain(title.group(1));
    }

    /** The beginning of the first paragraph, without markup. */
    static String firstParagraph(String text) {
        StringBuilder paragraph = new StringBuilder();
        for (Line line : lines(text)) {
            boolean isProse =
                    !line.isCode() && !line.text().isBlank() && !line.text().matches("(#|\\||!|<|- |\\[!).*");
            if (isProse) {
                paragraph
                        .append(paragraph.isEmpty() ? "" : " ")
                        .append(line.text().strip());
            } else if (!paragraph.isEmpty()) {
                break;
            }
        }
        String plain = plain(paragraph.toString());
        if (plain.length() <= LONGEST_DESCRIPTION) {
            return plain;
        }
        return plain.substring(0, plain.lastIndexOf(' ', LONGEST_DESCRIPTION - 3)) + " ..";
    }

    /** Without links, emphasis and marks of code. */
    static String plain(String markdown) {
        return LINK.matcher(markdown).replaceAll("$1").replaceAll("\\*\\*|`", "");
    }

    /**
     * The head of a page for the generator.
     *
     * @param settings further lines
     */
    static String head(String title, String description, String settings) {
        return "---\ntitle: " + quoted(title) + "\ndescription: " + quoted(description) + "\n" + settings + "---\n\n";
    }

    static String head(String title, String description) {
        return head(title, description, "");
    }

    /** A text in YAML. */
    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
