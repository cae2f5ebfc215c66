/** Small tools whose behaviour tests can watch. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Access, Tool } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../src/define-tool.ts'

export const any = z.strictObject({
  n: z.number().optional(),
  text: z.string().optional(),
  key: z.string().optional(),
})

/** A tool whose calls end when they are let go, and which knows how many ran at once. */
export function gated(
  name: string,
  options: {
    readonly read_only?: boolean
    readonly access?: (input: z.output<typeof any>) => readonly Access[]
  } = {},
) {
  const log: string[] = []
  let running = 0
  let most = 0
  const tool = defineTool({
    name,
    description: 'test',
    input: any,
    isReadOnly: () => options.read_only ?? true,
    ...(options.access
      ? { access: async (input: z.output<typeof any>) => options.access?.(input) ?? [] }
      : {}),
    async *call({ text = '', n = 0 }) {
      most = Math.max(most, ++running)
      log.push(`start ${text}${n}`)
      for (let i = 0; i < 5; i++) await delay(1)
      running--
      log.push(`end ${text}${n}`)
      yield { type: 'result', output_text: `${text}${n}` }
    },
  })
  return { tool, log, most: () => most }
}

/** A read-only tool with nothing but what is given. */
export const simple = (name: string, parts: Partial<Tool> & Pick<Tool, 'call'>): Tool =>
  ({
    ...defineTool({ name, description: 'test', input: any, isReadOnly: () => true, call: parts.call }),
    ...parts,
  }) as Tool
