/** Contracts of leases on names: locks, permits, read-write locks, leadership. */
package dev.dibs.contract.locks;
