package dev.dibs.conformance;

/** The check cannot be made: the client does not know the request, or the database is a file. */
final class NotOffered extends Exception {

    private static final long serialVersionUID = 1L;

    private NotOffered(String why) {
        super(why);
    }

    static NotOffered verb(String verb) {
        return new NotOffered("the client does not know '" + verb + "'");
    }

    static NotOffered network() {
        return new NotOffered("the database is a file, and no network is between");
    }

    static NotOffered rowLocks() {
        return new NotOffered("the database is a file, which has one writer and no locked rows");
    }
}
