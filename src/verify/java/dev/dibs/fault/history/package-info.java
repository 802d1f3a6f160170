/** What processes did and saw while things went wrong, and whether any promise was broken by it. */
package dev.dibs.fault.history;
