/** Contracts of getting locks: one holder, waiting, order, batches, several at once, faults. */
package dev.dibs.contract.locks.acquire;
