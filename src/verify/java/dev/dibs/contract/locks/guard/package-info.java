/** Contracts of fences, and of transactions that hold a lock to their commit. */
package dev.dibs.contract.locks.guard;
