/** Contracts of once tasks. */
package dev.dibs.contract.once;
