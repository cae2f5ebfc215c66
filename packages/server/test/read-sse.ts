/** Reads event streams in tests: frames with their ids, comments and retry hints left out. */
export interface SseFrame {
  readonly id: string
  readonly raw: string
  // biome-ignore lint/suspicious/noExplicitAny: frames of any shape are compared field by field
  readonly data: any
}

/** All frames of a finished stream. */
export const parseSse = (text: string): readonly SseFrame[] =>
  text
    .split('\n\n')
    .filter(part => part.includes('data: '))
    .map(raw => ({
      id: /^id: (.+)$/m.exec(raw)?.[1] ?? '',
      raw,
      data: JSON.parse(/^data: (.+)$/m.exec(raw)?.[1] ?? 'null'),
    }))

/** Reads to the end. */
export const readFrames = async (response: Response): Promise<readonly SseFrame[]> =>
  parseSse(await response.text())

/** Reads until `enough` says so, then breaks the connection off. */
export async function readUntil(
  response: Response,
  enough: (frames: readonly SseFrame[]) => boolean,
): Promise<readonly SseFrame[]> {
  const reader = response.body?.getReader()
  if (!reader) return []
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: true })
    const frames = parseSse(text.slice(0, text.lastIndexOf('\n\n') + 2))
    if (!done && !enough(frames)) continue
    await reader.cancel()
    return frames
  }
}

export const types = (frames: readonly SseFrame[]): readonly string[] => frames.map(frame => frame.data.type)
