package dev.dibs.demo;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One line from a worker to the demo: a word and its numbers.
 *
 * @param worker the sender
 * @param word its subject
 * @param numbers the numbers of the word
 */
record Message(int worker, Word word, List<Long> numbers) {

    /** Distinguishes the lines from other output of a JVM. */
    private static final String MARK = "> ";

    /** The subjects of messages. */
    enum Word {
        /** It is connected and has joined the run. */
        READY,
        /** It lingers with a file in hand: the file's id. */
        HOLDING,
        /** It has lingered, and has now written its result, which may not be committed: the file's id. */
        WROTE,
        /** It has the lock of the report: fence, milliseconds since the end of the lease that it took over, or -1. */
        REPORTING,
        /** Its report was refused: fence. */
        REFUSED
    }

    /** For a worker. */
    static void say(Word word, long... numbers) {
        System.out.println(line(word, numbers));
    }

    static String line(Word word, long... numbers) {
        StringBuilder line = new StringBuilder(MARK).append(word);
        for (long number : numbers) {
            line.append(' ').append(number);
        }
        return line.toString();
    }

    /** Reads a line; empty if it is other output. */
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

    /** For a message about a file. */
    long file() {
        return numbers.get(0);
    }

    /** For a message about the report's lock. */
    long fence() {
        return numbers.get(0);
    }

    /** For {@link Word#REPORTING}. */
    long staleMillis() {
        return numbers.get(1);
    }
}
