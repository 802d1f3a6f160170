/** A bookshop of plain servlets. Each shows one use of Dibs. */
package bookshop;
