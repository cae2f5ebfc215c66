/** The parts that depend on the version of `ai`: the address, and the condition for sending answers. */
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'

/** Version 6 has `/api/ai/v6/chat`, version 5 `/api/ai/v5/chat`. */
export const API = '/api/ai/v7/chat'

/** All tools of the page have run, or all approvals are decided. Version 5 has no approvals. */
export const isAnswered = (options: { messages: UIMessage[] }): boolean =>
  lastAssistantMessageIsCompleteWithToolCalls(options) ||
  lastAssistantMessageIsCompleteWithApprovalResponses(options)
