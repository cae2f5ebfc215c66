/**
 * One message through each wire, streamed and whole, and what its client got: the text, the calls, what was used, or
 * an error in that wire's own words. A second message, or the results of the calls, goes to the same session.
 */
import type { Wire } from './http-form.ts'
import { canonical, chat } from './own-forms.ts'
import { threadPrepared, threadStream, threadWhole } from './thread-forms.ts'
import { anthropicStream, anthropicWhole, openaiStream, openaiWhole } from './vendor-forms.ts'

export const WIRES = {
  chat,
  canonical,
  'thread, streamed': threadStream,
  'thread, prepared': threadPrepared,
  'thread, whole': threadWhole,
  'openai-chat, streamed': openaiStream,
  'openai-chat, whole': openaiWhole,
  'anthropic-messages, streamed': anthropicStream,
  'anthropic-messages, whole': anthropicWhole,
} satisfies Record<string, Wire>

export type WireName = keyof typeof WIRES
