/**
 * Whether this is the script of a saved page, where no kernel answers: what it never does is left out, so that the page is
 * small. The build sets it (package.json).
 */
declare const PQX_PAGE: boolean;
