/** What processes did and saw during faults, and whether any promise was broken. */
package dev.dibs.fault.history;
