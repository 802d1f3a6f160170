package dev.dibs.internal.lease;

import dev.dibs.internal.sql.run.Params;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The acquisitions that a statement is about: (name, owner) pairs, never "all of this instance". */
public final class LeaseKeys {

    private final List<Key> keys = new ArrayList<>();

    /** A name and its owner token. */
    public record Key(String name, String owner) {}

    public void add(String name, String owner) {
        keys.add(new Key(name, owner));
    }

    public static LeaseKeys of(List<Key> all) {
        LeaseKeys keys = new LeaseKeys();
        keys.keys.addAll(all);
        return keys;
    }

    static LeaseKeys of(String name, String owner) {
        LeaseKeys keys = new LeaseKeys();
        keys.add(name, owner);
        return keys;
    }

    public List<Key> all() {
        return keys;
    }

    public Set<String> owners() {
        return keys.stream().map(Key::owner).collect(Collectors.toSet());
    }

    public Params params() {
        return Params.none()
                .withPairs(
                        keys.stream().map(Key::name).toList(),
                        keys.stream().map(Key::owner).toList());
    }
}
