package dev.dibs.console;

import dev.dibs.tokens.TokenCounts;
import io.jstach.jstache.JStache;
import java.util.List;

/** How many tokens there are; never one of them. */
@JStache(path = "tokens")
record TokensPage(Frame frame, List<Row> rows) {

    /** Those of a purpose. */
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
