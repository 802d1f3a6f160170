/** The promises while faults occur. */
package dev.dibs.fault;
