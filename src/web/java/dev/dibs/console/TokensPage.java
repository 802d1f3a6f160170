package dev.dibs.console;

import dev.dibs.tokens.TokenCounts;
import io.jstach.jstache.JStache;
import java.util.List;

/** The number of tokens; it never shows a token. */
@JStache(path = "tokens")
record TokensPage(Frame frame, List<Row> rows) {

    /** The numbers for one purpose. */
    record Row(String purpose, String live, String used, String revoked, String expired) {}

    static Row row(TokenCounts counts) {
        return new Row(
                Format.text(counts.purpose()),
                Long.toString(counts.live()),
                Long.toString(counts.used()),
                Long.toString(counts.revoked()),
                Long.toString(counts.expired()));
    }
}
