package dev.dibs.internal.lease;

import dev.dibs.internal.sql.run.Params;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The acquisitions that a statement is about: (name, owner) pairs, never "all of this instance". */
public record LeaseKeys(List<Key> all) {

    /** A name and its owner token. */
    public record Key(String name, String owner) {

        Params params() {
            return Params.of("name", name).with("owner", owner);
        }
    }

    static LeaseKeys of(Key key) {
        return new LeaseKeys(List.of(key));
    }

    public Set<String> owners() {
        return all.stream().map(Key::owner).collect(Collectors.toSet());
    }

    public Params params() {
        return Params.none()
                .withPairs(
                        all.stream().map(Key::name).toList(),
                        all.stream().map(Key::owner).toList());
    }
}
