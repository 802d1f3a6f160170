package dev.dibs;

import dev.dibs.sql.Params;
import java.util.ArrayList;
import java.util.List;

/** Which acquisitions a statement is about: (name, owner) pairs, never "all of this instance". */
final class LeaseKeys {

    private final List<String> names = new ArrayList<>();
    private final List<String> owners = new ArrayList<>();

    void add(String name, String owner) {
        names.add(name);
        owners.add(owner);
    }

    static LeaseKeys of(String name, String owner) {
        LeaseKeys keys = new LeaseKeys();
        keys.add(name, owner);
        return keys;
    }

    Params params() {
        return Params.none().withPairs(names, owners);
    }
}
