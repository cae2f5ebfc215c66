/** A model that follows a script, message by message: the check of a task is tried with it. */
import type { Model } from '@toolwire/core'
import { loadScenario } from '@toolwire/demo'
import type { ScriptedMessage } from './eval-task.ts'

export const scriptedModel = (name: string, script: readonly ScriptedMessage[]): Model =>
  loadScenario({
    name,
    turns: script.map((message, at) => ({
      when: { turn: at + 1 },
      emit:
        typeof message === 'string'
          ? [{ type: 'text', text: message }]
          : message.map(call => ({ type: 'tool_call', name: call.name, input: call.input })),
    })),
  })
