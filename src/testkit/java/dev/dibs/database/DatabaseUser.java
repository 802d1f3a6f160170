package dev.dibs.database;

/** A test that gets its database before it begins. */
public interface DatabaseUser {
    void use(TestDatabase database);
}
