package dev.dibs.examples;

import dev.dibs.database.H2Database;
import dev.dibs.database.UsesDatabase;

@UsesDatabase(H2Database.class)
class BestSellersOnH2Test extends BestSellersFlow {}
