/** Event streams of the vendor wires in tests. */
// biome-ignore lint/suspicious/noExplicitAny: frames of any shape are compared field by field
export type SseData = any

/** The data of every frame of a finished stream, parsed where it is JSON. */
export const readData = async (response: Response): Promise<readonly SseData[]> =>
  (await response.text())
    .split('\n')
    .flatMap(line => (line.startsWith('data: ') ? [line.slice(6)] : []))
    .map(data => (data === '[DONE]' ? data : JSON.parse(data)))
