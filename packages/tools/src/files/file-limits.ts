/** Limits of files, apart from the code that reads them. */

/** Lines of a change that another program made; with more of them the file has to be read again. */
export const MAX_SHOWN_LINES = 40
/** Occurrences that one edit replaces; what occurs more often is not counted any further. */
export const MAX_SPANS = 10_000
