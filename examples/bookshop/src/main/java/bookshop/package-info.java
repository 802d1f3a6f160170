/** A bookshop of plain servlets, each of which shows one thing that Dibs is for. */
package bookshop;
