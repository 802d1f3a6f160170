package dev.dibs.examples;

import dev.dibs.database.FullRun;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.UsesDatabase;

@UsesDatabase(PostgresDatabase.class)
@FullRun
class PasswordResetOnPostgresTest extends PasswordResetFlow {}
