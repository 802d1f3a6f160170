/** The promises under faults on every database, for as long as one likes, and on databases of several servers. */
package dev.dibs.fault;
