/** A channel whose messages are there after the current task, however busy the machine is. */
export const promptChannel = (sent: (message: unknown) => void) => {
  const channels = new Set<{ onmessage: ((event: { data: unknown }) => void) | null }>()
  return class {
    onmessage: ((event: { data: unknown }) => void) | null = null
    constructor() {
      channels.add(this)
    }
    postMessage(data: unknown): void {
      sent(data)
      for (const one of channels) if (one !== this) queueMicrotask(() => one.onmessage?.({ data }))
    }
    close(): void {
      channels.delete(this)
    }
  }
}
