/** The outline of a finished response: its texts and calls in order, without deltas. */
import type { Failure, Rec, ToolSpec } from '@toolwire/core'
import type { AnswerPart, OpenBlock } from './answer-part.ts'
import { initialAnswer, stepAnswer } from './step-answer.ts'

export type OutlineBlock =
  | { readonly kind: 'text' | 'refusal'; readonly text: string }
  | {
      readonly kind: 'call'
      readonly call_id: string
      readonly name: string
      readonly arguments: string
      /** As the client declared it; undefined for a tool that it did not declare. */
      readonly tool: ToolSpec | undefined
    }

export interface Outline {
  /** Feed the answer's records, in order. */
  readonly take: (rec: Rec) => void
  readonly blocks: readonly OutlineBlock[]
  /** The reason that the response ended early; undefined while it runs or if it ended well. */
  readonly failure: () => Failure | undefined
}

/** One per response; a resumed run starts again. Thinking is omitted: clients need not keep it. */
export function createOutline(): Outline {
  const blocks: OutlineBlock[] = []
  let state = initialAnswer
  let text: string[] = []
  let failure: Failure | undefined
  let tools: readonly ToolSpec[] = []
  return {
    blocks,
    failure: () => failure,
    take(rec) {
      // Its end has the whole text. The first delta matters: it shows that the response has content.
      if (rec.ev.type === 'block.delta' && state.block?.opened) return
      if (rec.ev.type === 'run.started' && rec.ev.agent_run_id === undefined) tools = rec.ev.client_tools
      const [next, parts] = stepAnswer(state, rec)
      state = next
      for (const part of parts) takePart(part)
    },
  }

  function takePart(part: AnswerPart): void {
    switch (part.type) {
      case 'open':
        text = []
        break
      case 'delta':
        text.push(part.text)
        break
      case 'close': {
        const block = toOutline(part.block, text.join(''), tools)
        if (block) blocks.push(block)
        break
      }
      case 'error':
        failure = part.error
        break
      case 'begin':
        blocks.length = 0
        failure = undefined
        break
      case 'signature':
      case 'citation':
      case 'hidden':
      case 'search':
      case 'finish':
    }
  }
}

function toOutline(block: OpenBlock, text: string, tools: readonly ToolSpec[]): OutlineBlock | undefined {
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return { kind: block.kind, text }
    case 'call': {
      const { call_id, name } = block
      const tool = tools.find(one => one.name === name)
      return { kind: 'call', call_id, name, arguments: text, tool }
    }
    case 'thinking':
    case 'redacted_thinking':
    case 'provider':
      return undefined
  }
}
