package dev.dibs.examples;

import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.UsesDatabase;

@UsesDatabase(MariaDbDatabase.class)
class BestSellersOnMariaDbTest extends BestSellersFlow {}
