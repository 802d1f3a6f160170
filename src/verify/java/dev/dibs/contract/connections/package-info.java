/** Contracts about what is between Dibs and the database: pools, sessions, transactions, servers. */
package dev.dibs.contract.connections;
