/** assistant-ui over AG-UI. This runtime has no resume: a reload begins an empty page of the same thread. */
import { HttpAgent } from '@ag-ui/client'
import { AssistantRuntimeProvider } from '@assistant-ui/react'
import { useAgUiRuntime } from '@assistant-ui/react-ag-ui'
import { useMemo, useState } from 'react'
import { HeaterTool } from './heater-tool.tsx'
import { Thread } from './thread.tsx'

export function AgUiChat({ id }: { readonly id: string }) {
  const [error, setError] = useState<Error>()
  const agent = useMemo(() => new HttpAgent({ url: '/ag-ui', threadId: id }), [id])
  const runtime = useAgUiRuntime({ agent, onError: setError })
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <HeaterTool />
      <Thread stop={() => void fetch(`/api/chat/${id}/stop`, { method: 'POST' })} error={error} />
    </AssistantRuntimeProvider>
  )
}
