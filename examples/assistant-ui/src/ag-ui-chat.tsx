/** assistant-ui over AG-UI. This runtime has no resume: a reload shows the messages of the thread, and not the rest of a run. */
import { HttpAgent } from '@ag-ui/client'
import {
  AssistantRuntimeProvider,
  CompositeAttachmentAdapter,
  ExportedMessageRepository,
  SimpleImageAttachmentAdapter,
  SimpleTextAttachmentAdapter,
} from '@assistant-ui/react'
import { useAgUiRuntime } from '@assistant-ui/react-ag-ui'
import type { UIMessage } from 'ai'
import { useEffect, useMemo, useState } from 'react'
import { HeaterTool } from './heater-tool.tsx'
import { Thread } from './thread.tsx'
import { toThreadMessage } from './thread-message.ts'

const attachments = new CompositeAttachmentAdapter([
  new SimpleImageAttachmentAdapter(),
  new SimpleTextAttachmentAdapter(),
])

export function AgUiChat({ id, messages }: { readonly id: string; readonly messages: readonly UIMessage[] }) {
  const [error, setError] = useState<Error>()
  const agent = useMemo(() => new HttpAgent({ url: '/ag-ui', threadId: id }), [id])
  const history = useMemo(
    () => ({
      load: async () => ExportedMessageRepository.fromArray(messages.map(toThreadMessage)),
      // The server has them already.
      append: async () => {},
    }),
    [messages],
  )
  useEffect(() => {
    const { unsubscribe } = agent.subscribe({ onRunInitialized: () => setError(undefined) })
    return unsubscribe
  }, [agent])
  const runtime = useAgUiRuntime({ agent, adapters: { attachments, history }, onError: setError })
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <HeaterTool />
      <Thread stop={() => void fetch(`/api/chat/${id}/stop`, { method: 'POST' })} error={error} />
    </AssistantRuntimeProvider>
  )
}
