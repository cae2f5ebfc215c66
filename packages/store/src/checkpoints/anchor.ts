/** Identifies a record, by which derived state proves that it belongs to a log. Pure. */
import { createHash } from 'node:crypto'
import type { Rec } from '@toolwire/core'

/** Equal for a record as it was written and as it is read back. */
export const anchorOf = ({ seq, epoch, ev }: Rec): string =>
  createHash('sha256')
    .update(`${seq} ${epoch} ${JSON.stringify(ev)}`)
    .digest('base64')

/** Compares without hashing; a record from the tail in memory is the same object. */
export const isSameRecord = (a: Rec, b: Rec): boolean =>
  a.seq === b.seq && a.epoch === b.epoch && (a.ev === b.ev || JSON.stringify(a.ev) === JSON.stringify(b.ev))
