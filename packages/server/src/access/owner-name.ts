/**
 * Names of owners. Identity providers decide on them: `auth0|5f7c`, an address, a name in any script. They are
 * compared after NFC, and are never a part of a path.
 */
import { z } from 'zod'

const MAX_OWNER = 255

export const OWNER_RULE = `1 to ${MAX_OWNER} characters, none of them invisible, without a space at either end`

/** Parses to the composed form (NFC). */
export const OwnerName = z
  .string()
  .max(MAX_OWNER, OWNER_RULE)
  .normalize('NFC')
  .refine(isOwnerName, OWNER_RULE)

/** \p{C} are controls, bidirectional marks, halves of surrogate pairs, and what no script uses. */
function isOwnerName(name: string): boolean {
  return name !== '' && name === name.trim() && name.length <= MAX_OWNER && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)
}
