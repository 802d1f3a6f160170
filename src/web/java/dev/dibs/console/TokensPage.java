package dev.dibs.console;

import dev.dibs.text.Html;
import dev.dibs.text.TokensJson;
import dev.dibs.tokens.TokenCounts;
import io.jstach.jstache.JStache;
import java.util.List;

/** The number of tokens; it never shows a token. */
final class TokensPage implements Page {

    private final Snapshot snapshot;
    private final CachedQuery<List<TokenCounts>> tokens;

    TokensPage(Snapshot snapshot) {
        this.snapshot = snapshot;
        this.tokens = snapshot.query(1, snapshot.dibs().admin()::tokenCounts);
    }

    @Override
    public String path() {
        return "tokens";
    }

    @Override
    public String label() {
        return "Tokens";
    }

    @Override
    public Answer answer(PageRequest request) {
        var seen = tokens.get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(request, seen.problem());
        }
        if (request.json()) {
            return Answer.json(() -> TokensJson.of(seen.value()));
        }
        TokensView view = new TokensView(
                Frame.of(request, "Tokens", seen, true),
                seen.value().stream().map(TokensPage::row).toList());
        return Answer.html(out -> TokensViewRenderer.render(view, out, Html::text, Html::escape));
    }

    CachedQuery<List<TokenCounts>> tokens() {
        return tokens;
    }

    @JStache(path = "tokens")
    record TokensView(Frame frame, List<Row> rows) {}

    /** The numbers for one purpose. */
    record Row(String purpose, String live, String used, String revoked, String expired) {}

    private static Row row(TokenCounts counts) {
        return new Row(
                Format.text(counts.purpose()),
                Long.toString(counts.live()),
                Long.toString(counts.used()),
                Long.toString(counts.revoked()),
                Long.toString(counts.expired()));
    }
}
