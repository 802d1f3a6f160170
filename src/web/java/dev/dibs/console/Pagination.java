package dev.dibs.console;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A part of a long list.
 *
 * @param rows the rows of this part
 * @param summary the range of the rows, and their total
 * @param previous the address of the part before
 * @param next the address of the part after
 */
record Pagination<R>(List<R> rows, String summary, Optional<String> previous, Optional<String> next) {

    static final int ROWS = 200;

    /**
     * Cuts out a part.
     *
     * @param chosen the rows that match the filter
     * @param of the total number without the filter
     * @param href the address of the list, up to the number of the part
     */
    static <T, R> Pagination<R> of(List<T> chosen, int of, int number, String href, Function<T, R> row) {
        int last = Math.max(1, (chosen.size() + ROWS - 1) / ROWS);
        int part = Math.min(number, last);
        int from = (part - 1) * ROWS;
        int to = Math.min(chosen.size(), from + ROWS);
        String shown =
                to - from == chosen.size() ? chosen.size() + "" : (from + 1) + " to " + to + " of " + chosen.size();
        return new Pagination<>(
                chosen.subList(from, to).stream().map(row).toList(),
                shown + " shown" + (chosen.size() == of ? "" : ", " + of + " in all"),
                part == 1 ? Optional.empty() : Optional.of(href + (part - 1)),
                part == last ? Optional.empty() : Optional.of(href + (part + 1)));
    }
}
