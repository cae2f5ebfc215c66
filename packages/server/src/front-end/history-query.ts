/** The query of requests that bring a page's list of messages. */
import { z } from 'zod'

export const HistoryQuery = z.object({
  history: z
    .enum(['append', 'branch'])
    .optional()
    .describe(
      'What a list of new messages alone means: the next messages, or an edit of the first one. Without it an edit, if the page has sent older messages before.',
    ),
})
