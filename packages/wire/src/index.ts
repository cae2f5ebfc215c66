export { estimateTokens } from './anthropic-messages/count-tokens.ts'
export { type MessagesErrorBody, toMessagesError } from './anthropic-messages/error-body.ts'
export { foldMessage } from './anthropic-messages/fold-message.ts'
export type { Message, MessageBlock } from './anthropic-messages/message-event.ts'
export {
  type MessagesOptions,
  messagesProjection,
  messagesWire,
  readMessageId,
  toMessageId,
} from './anthropic-messages/messages-wire.ts'
export { parseMessages } from './anthropic-messages/parse-messages.ts'
export { decodeMessagesRequest, type MessagesGatewayRequest } from './anthropic-messages/request.ts'
export { MessagesRequest } from './anthropic-messages/request-schema.ts'
export { answerVisible as messageVisible } from './anthropic-messages/visible.ts'
export { canonicalProjection, canonicalWire } from './canonical/canonical-wire.ts'
export { sparingWire } from './canonical/sparing-wire.ts'
export { chatProjection, chatWire } from './chat/chat-wire.ts'
export {
  type AddressedApproval,
  type ApprovalAnswer,
  ApprovalBody,
  ChatBody,
  type ChatCommand,
  decodeApproval,
  decodeChatRequest,
  decodeToolOutputs,
  type MessageInput,
  type ToolOutputAnswer,
  ToolOutputsBody,
} from './chat/request.ts'
export { encodeSse, HEARTBEAT, type SentFrame, unseen } from './cut.ts'
export { createFollower, type Follow, type Followed } from './follow.ts'
export type { GatewayRequest, Tail, Told } from './gateway/gateway-request.ts'
export { createOutline, type Outline, type OutlineBlock } from './gateway/outline.ts'
export { type Paired, pairResults, type Sent } from './gateway/pair-results.ts'
export { createWarnings, type Warning, type Warnings } from './gateway/warning.ts'
export { encodeLogReset, type LogReset } from './log-reset.ts'
export type { ChatCompletion, ChatMessage } from './openai-chat/chunk.ts'
export {
  type CompletionOptions,
  completionProjection,
  completionWire,
} from './openai-chat/completion-wire.ts'
export { type ChatErrorBody, toChatError } from './openai-chat/error-body.ts'
export { foldCompletion } from './openai-chat/fold-completion.ts'
export { type ChatGatewayRequest, decodeCompletionRequest } from './openai-chat/request.ts'
export { ChatRequest } from './openai-chat/request-schema.ts'
export { answerVisible as completionVisible } from './openai-chat/visible.ts'
export { limitFields, toLimits } from './shared/limit-fields.ts'
export { parseBody } from './shared/parse-body.ts'
export { type ThreadErrorBody, toThreadError } from './thread/error-codes.ts'
export { foldThreadAnswer, type ThreadAnswer } from './thread/fold-answer.ts'
export { ThreadInputForm } from './thread/input.ts'
export { toArguments } from './thread/json-text.ts'
export {
  decodeRunToken,
  encodeRunToken,
  type Prepared,
  readPrepared,
  toPreparedNote,
} from './thread/prepared.ts'
export {
  decodePrepareRequest,
  decodeThreadQuery,
  decodeThreadRequest,
  ResponseBody,
  ResponseQuery,
  type ThreadAnswersCommand,
  type ThreadCommand,
  type ThreadMessage,
  type ThreadMessageCommand,
  type ThreadRef,
  type ThreadSetup,
  type ToolApprovalGiven,
  toShows,
} from './thread/request.ts'
export type { ThreadOptions } from './thread/thread-state.ts'
export { threadProjection, threadWire } from './thread/thread-wire.ts'
export {
  type Checkpoint,
  defineWire,
  type Frame,
  NO_FRAMES,
  type Projection,
  type ProjectionContext,
  type Stepper,
  type Wire,
} from './wire.ts'
