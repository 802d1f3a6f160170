/** Contracts of the tables of Dibs: created, checked, in other schemas, partitioned. */
package dev.dibs.contract.schema;
