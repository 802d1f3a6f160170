package dev.dibs.mutants;

/**
 * A statement file with one error.
 *
 * @param file its path below {@code sql} or {@code dialects}
 * @param statement the statement or fragment with the error
 * @param change the change, for people
 * @param text the whole file
 * @param together the change that drops the same condition everywhere in the statement, or nothing if it stands there once
 */
record Mutant(String file, String statement, String change, String text, String together) {

    /** The name of the mutant that drops the same condition everywhere. */
    String nameOfAll() {
        return file + " " + statement + ": " + together;
    }

    /** The file's name without its ending. */
    String stem() {
        return file.substring(file.lastIndexOf('/') + 1).replace(".sql", "");
    }

    /** The name as a key in a file of properties. */
    String key() {
        return toString()
                .replace("<=", "_upto_")
                .replace("<>", "_not_")
                .replace(">", "_after_")
                .replace("<", "_before_")
                .replaceAll("[^A-Za-z0-9]+", "_");
    }

    @Override
    public String toString() {
        return file + " " + statement + ": " + change;
    }
}
