/** assistant-ui over the AI SDK's wire: a reload continues the chat. */
import { useChat } from '@ai-sdk/react'
import { AssistantRuntimeProvider } from '@assistant-ui/react'
import { AssistantChatTransport, useAISDKRuntime } from '@assistant-ui/react-ai-sdk'
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { useMemo } from 'react'
import { HeaterTool } from './heater-tool.tsx'
import { Thread } from './thread.tsx'

const API = '/api/ai/v7/chat'

/** The transport would send the id that assistant-ui made up for the thread, which no reload brings back. */
const toTransport = (id: string) =>
  new AssistantChatTransport<UIMessage>({
    api: API,
    prepareSendMessagesRequest: ({ body, messages, trigger, messageId }) => ({
      body: { ...body, id, messages, trigger, messageId },
    }),
  })

export function AiSdkChat({ id, messages }: { readonly id: string; readonly messages: UIMessage[] }) {
  const transport = useMemo(() => toTransport(id), [id])
  const chat = useChat({
    id,
    messages,
    transport,
    resume: true,
    // Without it, neither answers of page tools nor decisions are sent.
    sendAutomaticallyWhen: options =>
      lastAssistantMessageIsCompleteWithToolCalls(options) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(options),
  })
  const runtime = useAISDKRuntime(chat)
  transport.setRuntime(runtime)
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <HeaterTool />
      <Thread stop={() => void fetch(`${API}/${id}/stop`, { method: 'POST' })} error={chat.error} />
    </AssistantRuntimeProvider>
  )
}
