/** Contracts of claims on rows, for each way of storing them. */
package dev.dibs.contract.claims;
