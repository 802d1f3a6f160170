/** Contracts of many readers or one writer. */
package dev.dibs.contract.locks.readwrite;
