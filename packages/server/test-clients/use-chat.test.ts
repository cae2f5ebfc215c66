/** useChat of earlier versions and of Vue in a real browser; version 7 is in `examples/test`. */
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { testChat } from '../../../examples/test/chat-scenarios.ts'
import { setUpStage } from '../../../examples/test/chat-stage.ts'
import { buildBeside, useChat5, useChat6, useChatVue } from './front-ends.ts'

/** Version 5 has no approvals, so its package has no condition for them. */
const server = (dialect: 5 | 6): string => `
import * as ai from 'ai'
export const API = '/api/ai/v${dialect}/chat'
export const isAnswered = options =>
  ai.lastAssistantMessageIsCompleteWithToolCalls(options)${
    dialect === 5 ? '' : ' || ai.lastAssistantMessageIsCompleteWithApprovalResponses(options)'
  }
`

describe('useChat of ai 5', () => {
  const replaced = { 'src/server.ts': server(5) }
  testChat(
    setUpStage(() => buildBeside(useChat5, { source: 'ai-sdk', replaced })),
    { dialect: 5 },
  )
})

describe('useChat of ai 6', () => {
  const replaced = { 'src/server.ts': server(6) }
  testChat(
    setUpStage(() => buildBeside(useChat6, { source: 'ai-sdk', replaced })),
    { dialect: 6 },
  )
})

describe('the chat of @ai-sdk/vue', () => {
  const source = fileURLToPath(new URL('vue-page', import.meta.url))
  testChat(
    setUpStage(() => buildBeside(useChatVue, { source })),
    { dialect: 7 },
  )
})
