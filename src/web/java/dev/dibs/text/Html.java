package dev.dibs.text;

import dev.dibs.DibsException;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Escapes the values of all templates, so that no value becomes markup. */
public final class Html {

    private Html() {}

    /** A template with its values. */
    public interface Template {
        /** Writes the page. */
        void render(Appendable out) throws IOException;
    }

    /** Renders a template. */
    public static String of(Template template) {
        StringBuilder page = new StringBuilder();
        try {
            template.render(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return page.toString();
    }

    /** A value as text; it is never null. */
    public static String text(Object value) {
        if (value == null) {
            throw new DibsException("a page has a gap");
        }
        return value.toString();
    }

    /** Escapes for text and for attribute values in quotes. */
    public static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                case '`' -> escaped.append("&#96;");
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }
}
