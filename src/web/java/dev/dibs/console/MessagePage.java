package dev.dibs.console;

import io.jstach.jstache.JStache;
import java.util.Optional;

/**
 * Says that there is nothing to be seen, and why.
 *
 * @param text what is the matter
 * @param code what to write where
 */
@JStache(path = "plain")
record MessagePage(Frame frame, String text, Optional<String> code) {}
