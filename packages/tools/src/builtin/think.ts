/** Think: room for a thought between calls. Does nothing else. */
import { THINK } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

/** `isHidden` leaves it out for models that think by themselves. */
export const createThinkTool = (isHidden: (model: string) => boolean = () => false) =>
  defineTool({
    name: THINK,
    type: 'builtin',
    description:
      'Use this to think something through. It changes nothing and learns nothing; it only logs the thought.',
    input: z.strictObject({ thought: z.string().describe('The thought') }),
    isEnabled: ({ model }) => !isHidden(model),
    isReadOnly: () => true,
    access: async () => [],
    may_repeat: true,
    async *call({ thought }) {
      yield {
        type: 'result',
        output_text: 'Your thought has been logged.',
        view: { kind: 'thought', body: { thought } },
      }
    },
    view: ({ thought }) => ({ title: 'Thought', kind: 'thought', body: { thought } }),
  })
