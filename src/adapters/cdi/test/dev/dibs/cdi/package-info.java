/** Applications on Weld, with and without transactions of Narayana. */
package dev.dibs.cdi;
