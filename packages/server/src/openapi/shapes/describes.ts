/** Ties a schema to the type that the code answers with: what it describes must be at least that. */
import type { z } from 'zod'

export const describes =
  <T>() =>
  <Schema extends z.ZodType<T>>(schema: Schema): Schema =>
    schema
