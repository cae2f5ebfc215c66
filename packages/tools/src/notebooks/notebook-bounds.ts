/** Limits of a notebook in one result. Apart from the reader, so that describing them loads no reader. */

/** Of one output; the middle of a longer one is left out. */
export const MAX_OUTPUT_CHARS = 10_000
/** Images per result. */
export const MAX_IMAGES = 20
/** Of one answer; beyond this the rest is left for calls with a cell's id. */
export const MAX_NOTEBOOK_CHARS = 30_000
