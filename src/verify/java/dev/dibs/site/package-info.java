/** The site that is made of the pages in docs/: it is built, and looked at in a browser. */
package dev.dibs.site;
