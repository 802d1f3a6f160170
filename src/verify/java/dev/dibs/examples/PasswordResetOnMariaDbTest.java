package dev.dibs.examples;

import dev.dibs.database.FullRun;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.UsesDatabase;

@UsesDatabase(MariaDbDatabase.class)
@FullRun
class PasswordResetOnMariaDbTest extends PasswordResetFlow {}
