/** Contracts of what is held: renewed, released, lost, broken, and seen by others. */
package dev.dibs.contract.locks.lease;
