/** Contracts of holders in other processes, and races between them. */
package dev.dibs.contract.locks.process;
