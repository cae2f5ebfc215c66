/** Lists of models in rights and budgets. */
import { z } from 'zod'

/** Ids of models, or beginnings of them with `*`. */
export const ModelNames = z.array(z.string().min(1).max(256)).max(100)
