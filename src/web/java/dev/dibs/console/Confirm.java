package dev.dibs.console;

import dev.dibs.text.Html;
import io.jstach.jstache.JStache;
import java.util.List;

/**
 * Asks whether to do what a button does.
 *
 * @param facts who or what it is about
 * @param warning what it will do
 * @param action where the button sends to
 * @param fence which acquisition it is about; empty if all of them
 * @param label of the button
 * @param isDanger whether it takes something from somebody
 * @param back where to go instead
 */
@JStache(path = "confirm")
record Confirm(
        Frame frame,
        List<String> facts,
        String warning,
        String action,
        String fence,
        String label,
        boolean isDanger,
        String back) {

    Answer answer() {
        return Answer.html(out -> ConfirmRenderer.render(this, out, Html::text, Html::escape));
    }
}
