package dev.dibs.console;

import dev.dibs.text.Html;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Pages without data from the database, and the frame of every page. */
final class MessagePages {

    private static final String WEB_XML = """
            <security-constraint>
              <web-resource-collection>
                <web-resource-name>Dibs console</web-resource-name>
                <url-pattern>/console/*</url-pattern>
              </web-resource-collection>
              <auth-constraint>
                <role-name>dibs-viewer</role-name>
                <role-name>dibs-admin</role-name>
              </auth-constraint>
            </security-constraint>
            <login-config>
              <auth-method>BASIC</auth-method>
            </login-config>
            <security-role><role-name>dibs-viewer</role-name></security-role>
            <security-role><role-name>dibs-admin</role-name></security-role>
            """;

    private static final String WITHOUT_DIBS = """
            servletContext.setAttribute("dev.dibs.Dibs", dibs);
            """;

    private MessagePages() {}

    static Answer refused(Assets assets, PageRequest pageRequest, String role) {
        boolean nobody = pageRequest.who().user().isEmpty();
        String text = nobody
                ? "Nobody is logged in. The console needs one of the roles dibs-viewer and dibs-admin. Give them to users, and let the"
                        + " container authenticate visitors, as below in web.xml. Or pass a ConsoleAccess to the constructor"
                        + " of DibsConsole."
                : "You are " + Format.text(pageRequest.who().user()) + ". You do not have the role " + role
                        + ". An administrator of this server can give it to you; web.xml names it as below.";
        return plain(assets, pageRequest, 403, "No access", text, Optional.of(WEB_XML));
    }

    static Answer forged(Assets assets, PageRequest pageRequest) {
        return plain(
                assets,
                pageRequest,
                403,
                "Not done",
                "No button of this console sent this request, or the session has ended. Nothing was done. Go back, reload"
                        + " the page, and press again.",
                Optional.empty());
    }

    static Answer missing(Assets assets, PageRequest pageRequest, String text) {
        return plain(assets, pageRequest, 404, "Not found", text, Optional.empty());
    }

    /** The page stays open, and shows its content once the database answers. */
    static Answer noDatabase(Assets assets, PageRequest pageRequest, String problem) {
        String title = "The database is not available";
        String text = "The console tried a moment ago, and will try again. " + Format.text(problem);
        return pageRequest.json()
                ? json(503, title + ". " + text)
                : page(503, frame(assets, pageRequest, title, Optional.empty(), true), text, Optional.empty());
    }

    static Answer noDibs(Assets assets, PageRequest pageRequest) {
        return plain(
                assets,
                pageRequest,
                503,
                "There is no Dibs",
                "The console finds it in the servlet context under the name dev.dibs.Dibs, where DibsContextListener puts it; or pass one"
                        + " to the constructor of DibsConsole.",
                Optional.of(WITHOUT_DIBS));
    }

    private static Answer plain(
            Assets assets, PageRequest pageRequest, int status, String title, String text, Optional<String> code) {
        if (pageRequest.json()) {
            return json(status, title + ". " + text);
        }
        Frame frame = status == 403 || status == 503
                ? bare(assets, pageRequest, title)
                : frame(assets, pageRequest, title, Optional.empty(), false).still();
        return page(status, frame, text, code);
    }

    private static Answer page(int status, Frame frame, String text, Optional<String> code) {
        MessagePage page = new MessagePage(frame, text, code);
        return Answer.html(status, Html.of(out -> MessagePageRenderer.render(page, out, Html::text, Html::escape)));
    }

    private static Answer json(int status, String text) {
        try {
            return JsonPages.problem(status, text);
        } catch (NoClassDefFoundError e) {
            return Answer.text(status, text);
        }
    }

    /** A frame with a title only. */
    private static Frame bare(Assets assets, PageRequest pageRequest, String title) {
        return new Frame(
                title,
                assets.style(),
                assets.script(),
                List.of(),
                false,
                false,
                pageRequest.fragment(),
                false,
                "",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty());
    }

    /**
     * The frame of a page.
     *
     * @param reloads whether it reloads itself in a browser without script; not if it has input fields
     */
    static Frame frame(
            Assets assets, PageRequest pageRequest, String title, Optional<CachedQuery.Seen<?>> seen, boolean reloads) {
        return new Frame(
                title,
                assets.style(),
                assets.script(),
                links(pageRequest.page()),
                true,
                reloads,
                pageRequest.fragment(),
                pageRequest.buttons(),
                pageRequest.csrf(),
                pageRequest.message().map(message -> new Frame.Note(message.good() ? "good" : "error", message.text())),
                seen.map(CachedQuery.Seen::problem)
                        .filter(problem -> !problem.isEmpty())
                        .map(Format::text),
                seen.map(what -> Format.when(what.at(), Instant.now())),
                here(pageRequest),
                pageRequest.who().user().isEmpty()
                        ? Optional.empty()
                        : Optional.of(Format.text(pageRequest.who().user())),
                pageRequest.place());
    }

    private static List<Frame.Link> links(String page) {
        return List.of(
                link("./", "Overview", page.isEmpty()),
                link("locks", "Locks", page.equals("locks") || page.equals("break")),
                link("onces", "Once-guards", page.equals("onces") || page.equals("again")),
                link("runs", "Runs", page.equals("runs") || page.equals("run")),
                link("tokens", "Tokens", page.equals("tokens")),
                link("health", "Health", page.equals("health")));
    }

    private static Frame.Link link(String href, String label, boolean current) {
        return new Frame.Link(href, label, current);
    }

    private static String here(PageRequest pageRequest) {
        StringBuilder here = new StringBuilder(pageRequest.page().isEmpty() ? "./" : pageRequest.page());
        char next = '?';
        for (Map.Entry<String, String> param : pageRequest.query().entrySet()) {
            if (!param.getKey().equals("fragment")) {
                here.append(next)
                        .append(Format.query(param.getKey()))
                        .append('=')
                        .append(Format.query(param.getValue()));
                next = '&';
            }
        }
        return here.toString();
    }
}
