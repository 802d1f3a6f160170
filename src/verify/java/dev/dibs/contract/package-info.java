/** What must hold on every database: a package for each capability. */
package dev.dibs.contract;
