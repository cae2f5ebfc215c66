/** Ids that a client makes: names for a session or a message of their owner, and nothing else. */
import { z } from 'zod'

const MAX_ID = 256

/** 1 to 256 characters without control characters; `.` and `..` would change the path of a URL. */
export const ClientId = z
  .string()
  .min(1)
  .max(MAX_ID)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are rejected
  .regex(/^[^\u0000-\u001f\u007f-\u009f]+$/, 'an id has no control characters')
  .refine(id => id !== '.' && id !== '..', 'an id is not . or ..')
