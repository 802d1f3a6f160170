/** Contracts of one-time tokens and codes. */
package dev.dibs.contract.tokens;
