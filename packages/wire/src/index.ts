export type { AgUiOptions, InterruptReason } from './ag-ui/ag-ui-state.ts'
export { agUiProjection, agUiWire } from './ag-ui/ag-ui-wire.ts'
export { type AgUiFold, type AgUiMessage, createAgUiFold } from './ag-ui/fold-messages.ts'
export { toInterrupt } from './ag-ui/project-run.ts'
export {
  AgUiBody,
  type AgUiRequest,
  decodeAgUiRequest,
  type InterruptAnswer,
  toDecision,
} from './ag-ui/request.ts'
export type { AiSdkOptions, HeldMessage } from './ai-sdk/ai-sdk-state.ts'
export { aiSdkWire } from './ai-sdk/ai-sdk-wire.ts'
export { createMessageFold, type MessageFold, type UiMessage, type UiPart } from './ai-sdk/fold-messages.ts'
export { decodeHeldMessage } from './ai-sdk/held-message.ts'
export {
  AiSdkBody,
  type AiSdkRequest,
  decodeAiSdkRequest,
  type ListedMessage,
  type NewMessage,
} from './ai-sdk/request.ts'
export type { Dialect as AiSdkDialect } from './ai-sdk/ui-chunk.ts'
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
export { deduplicatingWire } from './canonical/deduplicating-wire.ts'
export { EditBody, RegenerateBody } from './chat/branch-request.ts'
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
  MessageBody,
  type MessageInput,
  QueuePatchBody,
  type ToolOutputAnswer,
  ToolOutputsBody,
} from './chat/request.ts'
export { answerEcho } from './gateway/echo.ts'
export { estimateValue } from './gateway/estimate-tokens.ts'
export type {
  Echo,
  EchoNote,
  GatewayRequest,
  ImportedMessage,
  JoinedMessage,
  Tail,
} from './gateway/gateway-request.ts'
export { type ChatErrorBody, toChatError } from './gateway/openai-error.ts'
export { createOutline, type Outline, type OutlineBlock } from './gateway/outline.ts'
export {
  type PairedHistory,
  pairResults,
  type ReceivedMessage,
  settleResults,
} from './gateway/pair-results.ts'
export type { SearchService } from './gateway/search-request.ts'
export { createWarnings, type Warning, type Warnings } from './gateway/warning.ts'
export { encodeLogReset, type LogReset } from './log-reset.ts'
export { type McpErrorBody, toMcpError } from './mcp/error-body.ts'
export { type McpFrame, mcpProjection, mcpWire, readMcpFrame } from './mcp/mcp-wire.ts'
export type { ChatCompletion, ChatMessage } from './openai-chat/chunk.ts'
export {
  type CompletionOptions,
  completionProjection,
  completionWire,
} from './openai-chat/completion-wire.ts'
export { foldCompletion } from './openai-chat/fold-completion.ts'
export { type ChatGatewayRequest, decodeCompletionRequest } from './openai-chat/request.ts'
export { ChatRequest } from './openai-chat/request-schema.ts'
export { answerVisible as completionVisible } from './openai-chat/visible.ts'
export { toResponsesError } from './openai-responses/error-body.ts'
export { foldResponse } from './openai-responses/fold-response.ts'
export { toHistoryItems } from './openai-responses/history-items.ts'
export { readItems } from './openai-responses/input-items.ts'
export {
  decodeResponsesRequest,
  type ResponsesGatewayRequest,
  readReferences,
} from './openai-responses/request.ts'
export { type LooseItem, ResponsesRequest } from './openai-responses/request-schema.ts'
export {
  type OutputItem,
  type ResponseObject,
  type ResponsePosition,
  readItemId,
  readResponseId,
  toResponseId,
} from './openai-responses/response.ts'
export { type ResponseRecord, readRecord } from './openai-responses/response-record.ts'
export {
  type ResponsesOptions,
  responsesProjection,
  responsesWire,
} from './openai-responses/responses-wire.ts'
export { answerVisible as responseVisible } from './openai-responses/visible.ts'
export { limitFields, toLimits } from './shared/limit-fields.ts'
export type { PageAnswers, PageDecision, PageOutput } from './shared/page-answers.ts'
export { isPageContext, toPageContext } from './shared/page-context.ts'
export type { PageText } from './shared/page-text.ts'
export { parseBody } from './shared/parse-body.ts'
export type { MessageGuard } from './shared/when-running.ts'
export { encodeSse, encodeVendorSse, framesAfter, HEARTBEAT, type SentFrame } from './sse-frames.ts'
export { type ThreadErrorBody, toThreadError } from './thread/error-codes.ts'
export { foldThreadAnswer, type ThreadAnswer } from './thread/fold-answer.ts'
export { ThreadInputForm } from './thread/input.ts'
export { toArguments } from './thread/json-text.ts'
export {
  decodeRunToken,
  encodeRunToken,
  type PreparedThread,
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
  defineWire,
  type Frame,
  NO_FRAMES,
  type Projection,
  type ProjectionContext,
  type Stepper,
  type Wire,
  withOptions,
} from './wire.ts'
