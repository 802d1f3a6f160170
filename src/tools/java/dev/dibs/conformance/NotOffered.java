package dev.dibs.conformance;

/** The client does not know the request. */
final class NotOffered extends Exception {

    private static final long serialVersionUID = 1L;

    NotOffered(String verb) {
        super("the client does not know '" + verb + "'");
    }
}
