/** For any history, the requests of all providers are valid. */
import type { HistoryMessage, ModelRequest } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toAnthropicRequest } from '../../src/anthropic/request.ts'
import { toChatRequest } from '../../src/openai-chat/request.ts'
import { toResponsesRequest } from '../../src/openai-responses/request.ts'
import { checkMessagesBody } from '../anthropic/check-body.ts'
import { checkChatBody } from '../openai-chat/check-body.ts'
import { checkResponsesBody } from '../openai-responses/check-body.ts'
import { compactedHistory, foldedHistory, wildHistory } from './histories.ts'

const tool = { name: 'mcp.server/tool x', input_schema: { oneOf: [{ properties: { a: {} } }] } }
const asked = (messages: readonly HistoryMessage[], hasTools: boolean): ModelRequest => ({
  model: 'm',
  messages,
  tools: hasTools ? [tool] : [],
})
const RUNS = { numRuns: 400 }

describe.for([
  ['a log that was folded', foldedHistory],
  ['a log that was compacted', compactedHistory],
  ['any history at all', wildHistory],
] as const)('for %s', ([, history]) => {
  it('the Messages body breaks no rule', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (messages, hasTools) => {
        expect(checkMessagesBody(toAnthropicRequest(asked(messages, hasTools), undefined).body)).toEqual([])
      }),
      RUNS,
    )
  })

  it('the Messages body breaks no rule where the system has a separate role', () => {
    const capability = { provider: 'anthropic', id: 'm', mid_system: true }
    fc.assert(
      fc.property(history, fc.boolean(), (messages, hasTools) => {
        expect(checkMessagesBody(toAnthropicRequest(asked(messages, hasTools), capability).body)).toEqual([])
      }),
      RUNS,
    )
  })

  it('the Chat Completions body breaks no rule', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (messages, hasTools) => {
        const rules = { capability: undefined, isOfficial: true }
        expect(checkChatBody(toChatRequest(asked(messages, hasTools), rules).body)).toEqual([])
      }),
      RUNS,
    )
  })

  it('the Responses body breaks no rule', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (messages, hasTools) => {
        const rules = { capability: undefined, isOfficial: true, provider: 'responses' }
        expect(checkResponsesBody(toResponsesRequest(asked(messages, hasTools), rules).body)).toEqual([])
      }),
      RUNS,
    )
  })

  it('every name the provider may use comes back as the original', () => {
    fc.assert(
      fc.property(history, messages => {
        const { names } = toAnthropicRequest(asked(messages, true), undefined)
        for (const message of messages)
          if (message.role === 'assistant')
            for (const part of message.content)
              if (part.type === 'tool_use') expect(names.fromWire(names.toWire(part.name))).toBe(part.name)
      }),
      RUNS,
    )
  })
})
