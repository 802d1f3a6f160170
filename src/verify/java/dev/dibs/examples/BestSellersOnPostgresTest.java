package dev.dibs.examples;

import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.UsesDatabase;

@UsesDatabase(PostgresDatabase.class)
class BestSellersOnPostgresTest extends BestSellersFlow {}
