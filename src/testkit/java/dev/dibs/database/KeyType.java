package dev.dibs.database;

import java.util.List;

/**
 * A type that a key column may have.
 *
 * @param values expressions in SQL, among them those that are hard to get back exactly; none if claims refuse the type
 * @param names what names the first one in a key, where Java has an object for it
 */
public record KeyType(String type, List<String> values, List<Object> names) {

    static KeyType of(String type, List<String> values, Object... names) {
        return new KeyType(type, values, List.of(names));
    }

    static KeyType refused(String type) {
        return new KeyType(type, List.of(), List.of());
    }

    /** Whether there is more to try than with other types: with times. */
    public boolean hasManyValues() {
        return values.size() > 4;
    }

    /** The name of a test. */
    @Override
    public String toString() {
        return type;
    }
}
