package dev.dibs.console;

import io.jstach.jstache.JStache;
import java.util.Optional;

/**
 * Says why there is nothing to show.
 *
 * @param text the reason
 * @param code an example of what to configure
 */
@JStache(path = "plain")
record MessagePage(Frame frame, String text, Optional<String> code) {}
