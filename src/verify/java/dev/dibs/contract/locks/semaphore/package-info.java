/** Contracts of permits. */
package dev.dibs.contract.locks.semaphore;
