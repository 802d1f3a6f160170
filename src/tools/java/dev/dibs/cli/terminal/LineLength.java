package dev.dibs.cli.terminal;

import dev.dibs.internal.values.Strings;
import java.util.List;
import picocli.CommandLine.Option;

/** How long a line of a list may be: an error's message may have thousands of characters. */
public final class LineLength {

    /** In UTF-16 units, with the mark. */
    static final int LONGEST = 200;

    private static final String MARK = "..";

    @Option(names = "--full", description = "Print whole lines. Default: cut after " + LONGEST + " characters")
    private boolean full;

    /** The lines, each on a line of its own. */
    public String of(List<String> lines) {
        return String.join(
                System.lineSeparator(),
                full ? lines : lines.stream().map(LineLength::cut).toList());
    }

    /** The line, or its beginning. */
    public static String cut(String line) {
        return line.length() <= LONGEST ? line : Strings.cut(line, LONGEST - MARK.length()) + MARK;
    }
}
