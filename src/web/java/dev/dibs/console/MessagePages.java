package dev.dibs.console;

import com.google.gson.JsonObject;
import dev.dibs.text.Html;
import dev.dibs.text.JsonText;
import java.util.Map;
import java.util.Optional;

/** Pages without data from the database. */
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

    static Answer refused(PageRequest pageRequest, String role) {
        boolean nobody = pageRequest.who().user().isEmpty();
        String text = nobody
                ? "Nobody is logged in. The console needs one of the roles dibs-viewer and dibs-admin. Give them to users, and let the"
                        + " container authenticate visitors, as below in web.xml. Or pass a ConsoleAccess to the constructor"
                        + " of DibsConsole."
                : "You are " + Format.text(pageRequest.who().user()) + ". You do not have the role " + role
                        + ". An administrator of this server can give it to you; web.xml names it as below.";
        return plain(pageRequest, 403, "No access", text, Optional.of(WEB_XML));
    }

    static Answer forged(PageRequest pageRequest) {
        return plain(
                pageRequest,
                403,
                "Not done",
                "No button of this console sent this request, or the session has ended. Nothing was done. Go back, reload"
                        + " the page, and press again.",
                Optional.empty());
    }

    static Answer missing(PageRequest pageRequest, String text) {
        return plain(pageRequest, 404, "Not found", text, Optional.empty());
    }

    /** The page stays open, and shows its content once the database answers. */
    static Answer noDatabase(PageRequest pageRequest, String problem) {
        String title = "The database is not available";
        String text = "The console tried a moment ago, and will try again. " + Format.text(problem);
        return pageRequest.json()
                ? problem(503, title + ". " + text)
                : page(503, Frame.of(pageRequest, title, Optional.empty(), true), text, Optional.empty());
    }

    static Answer noDibs(PageRequest pageRequest) {
        return plain(
                pageRequest,
                503,
                "There is no Dibs",
                "The console finds it in the servlet context under the name dev.dibs.Dibs, where DibsContextListener puts it; or pass one"
                        + " to the constructor of DibsConsole.",
                Optional.of(WITHOUT_DIBS));
    }

    private static Answer plain(PageRequest pageRequest, int status, String title, String text, Optional<String> code) {
        if (pageRequest.json()) {
            return problem(status, title + ". " + text);
        }
        Frame frame = status == 403 || status == 503
                ? Frame.bare(pageRequest, title)
                : Frame.of(pageRequest, title, Optional.empty(), false).still();
        return page(status, frame, text, code);
    }

    private static Answer page(int status, Frame frame, String text, Optional<String> code) {
        MessagePage page = new MessagePage(frame, text, code);
        return Answer.html(status, out -> MessagePageRenderer.render(page, out, Html::text, Html::escape));
    }

    /** An answer to a program. */
    static Answer problem(int status, String text) {
        try {
            return new Answer(status, Answer.JSON, Json.problem(text) + "\n", Map.of());
        } catch (NoClassDefFoundError e) {
            return Answer.text(status, text);
        }
    }

    private static final class Json {

        static String problem(String text) {
            JsonObject object = new JsonObject();
            object.addProperty("error", text);
            return JsonText.of(object);
        }
    }
}
