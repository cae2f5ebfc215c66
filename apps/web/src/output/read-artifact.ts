/** The full output of a call, as the server keeps it. */
import { artifactPath, open, toRefusal } from '../server-api.ts'

/** Maximum size that a page can hold; the rest is truncated with a notice. */
const MAX = 20_000_000

/** Throws ToolwireError when there is no such output any more. */
export async function readArtifact(session: string, call: string, signal: AbortSignal): Promise<string> {
  const response = await open(artifactPath(session, call), {
    signal,
    headers: { range: `bytes=0-${MAX - 1}` },
  })
  if (!response.ok) throw await toRefusal(response)
  const total = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1] ?? 0)
  const text = await response.text()
  return total > MAX ? `${text}\n… ${total - MAX} bytes more` : text
}
