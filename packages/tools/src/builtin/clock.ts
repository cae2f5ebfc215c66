/** Clock: what time it is. Models do not know. */
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const input = z.strictObject({
  timezone: z
    .string()
    .optional()
    .describe('IANA time zone such as Europe/Berlin; the server’s own when absent'),
})

/** `now` is given so that answers can be repeated. */
export const createClockTool = (now: () => Date = () => new Date()) =>
  defineTool({
    name: 'Clock',
    type: 'builtin',
    superseded_by: 'Bash',
    description: 'Tells the current date and time of day.',
    input,
    isReadOnly: () => true,
    access: async () => [],
    may_repeat: true,
    async validate({ timezone }) {
      if (timezone === undefined || isTimezone(timezone)) return undefined
      return `No such time zone: ${timezone}. Use an IANA name such as Europe/Berlin or Asia/Shanghai.`
    },
    async *call({ timezone }) {
      const time = now()
      const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
      const local = new Intl.DateTimeFormat('en-GB', {
        timeZone: zone,
        dateStyle: 'full',
        timeStyle: 'long',
      }).format(time)
      yield {
        type: 'result',
        output_text: `${time.toISOString()} (${zone}: ${local})`,
        structured: { iso: time.toISOString(), timezone: zone },
      }
    },
    view: ({ timezone }) => ({ title: timezone ? `Time in ${timezone}` : 'Time', kind: 'clock' }),
  })

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
