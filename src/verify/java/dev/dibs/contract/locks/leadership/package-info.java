/** Contracts of one leader and its successor. */
package dev.dibs.contract.locks.leadership;
