package dev.dibs.demo;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One line from a worker to the demo: a word and its numbers.
 *
 * @param worker who says it
 * @param word what it is about
 * @param numbers what the word needs
 */
record Message(int worker, Word word, List<Long> numbers) {

    /** Sets the lines apart from whatever else a JVM prints. */
    private static final String MARK = "> ";

    /** What a worker has to say. */
    enum Word {
        /** It is connected. */
        READY,
        /** It works on a directory: id. */
        READING,
        /** It took a directory over: id, fence, the predecessor's fence, milliseconds since that lease's end. */
        TOOK,
        /** It lingers on a directory: id, fence, until when it is certain of the lease. */
        HOLDING,
        /** It committed: id, fence. */
        DONE,
        /** Its write was refused: id, fence. */
        REFUSED
    }

    static String line(Word word, long... numbers) {
        StringBuilder line = new StringBuilder(MARK).append(word);
        for (long number : numbers) {
            line.append(' ').append(number);
        }
        return line.toString();
    }

    /** Reads a line; empty if it is something else that was printed. */
    static Optional<Message> parse(int worker, String line) {
        if (!line.startsWith(MARK)) {
            return Optional.empty();
        }
        String[] parts = line.substring(MARK.length()).split(" ", -1);
        List<Long> numbers = Stream.of(parts).skip(1).map(Long::valueOf).toList();
        return Optional.of(new Message(worker, Word.valueOf(parts[0]), numbers));
    }

    boolean is(Word other) {
        return word == other;
    }

    int directory() {
        return Math.toIntExact(numbers.get(0));
    }

    long fence() {
        return numbers.get(1);
    }

    /** Of {@link Word#HOLDING}. */
    long certainUntil() {
        return numbers.get(2);
    }

    /** Of {@link Word#TOOK}. */
    long fromFence() {
        return numbers.get(2);
    }

    /** Of {@link Word#TOOK}. */
    long staleMillis() {
        return numbers.get(3);
    }
}
