/** The Responses API once a response has started: its projection, its signs of life, its errors. */
import {
  answerEcho,
  type Frame,
  foldResponse,
  HEARTBEAT,
  responsesWire,
  responseVisible,
  toResponsesError,
  type Wire,
  withOptions,
} from '@toolwire/wire'
import type { Dialect, GatewayContext } from './gateway-context.ts'

interface ResponsesDialectOptions {
  /** The id that the request named. */
  readonly model?: string
  /** The number of the last event that the client has seen. */
  readonly after?: number | undefined
}

export async function toResponsesDialect(
  context: GatewayContext,
  { model, after }: ResponsesDialectOptions = {},
): Promise<Dialect> {
  const sealer = await context.sealer()
  const { owner } = context.principal()
  const seal = (text: string): string => sealer.seal(owner, text)
  const options = {
    seal,
    ...(model === undefined ? {} : { model }),
    ...(after === undefined ? {} : { after }),
  }
  let last = after ?? 0
  const onFrames = (frames: readonly Frame[]): void => {
    last = frames.reduce((number, { data }) => numberOf(data) ?? number, last)
  }
  return {
    wire: () => observe(withOptions(responsesWire, options), onFrames),
    // Some clients of this wire count events alone as signs of life.
    get heartbeat() {
      const data = JSON.stringify({ type: 'keepalive', sequence_number: last })
      return `${HEARTBEAT}event: keepalive\ndata: ${data}\n\n`
    },
    fold: foldResponse,
    visible: responseVisible,
    echo: blocks => answerEcho(blocks, {}),
    toError: problem => toResponsesError(problem),
  }
}

const observe = (wire: Wire, onFrames: (frames: readonly Frame[]) => void): Wire => ({
  ...wire,
  open(context) {
    const step = wire.open(context)
    return rec => {
      const frames = step(rec)
      onFrames(frames)
      return frames
    }
  },
})

/** It is the last field of every event. */
function numberOf(data: string): number | undefined {
  const found = /"sequence_number":(\d+)\}$/.exec(data.slice(-48))
  return found ? Number(found[1]) : undefined
}
