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
        /** It is connected and has joined the run. */
        READY,
        /** It has a file in hand and lingers: the file's id. */
        HOLDING,
        /** It has lingered, and now wrote its result; whether that is committed is another matter: the file's id. */
        WROTE,
        /** It has the lock of the report: fence, milliseconds since the end of the lease that it took over, or -1. */
        REPORTING,
        /** Its report was refused: fence. */
        REFUSED
    }

    /** By a worker. */
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

    /** Of what a worker says of a file. */
    long file() {
        return numbers.get(0);
    }

    /** Of what a worker says of the report's lock. */
    long fence() {
        return numbers.get(0);
    }

    /** Of {@link Word#REPORTING}. */
    long staleMillis() {
        return numbers.get(1);
    }
}
