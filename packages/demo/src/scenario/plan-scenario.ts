/** Finds the turn of a scenario that fits a request, and makes its plan. Pure. */
import type { ModelRequest } from '@toolwire/core'
import { toInputText } from '../demo/input/input-text.ts'
import { type Plan, type PlannedBlock, sayPlan } from '../demo/plan/plan.ts'
import { readConversation } from '../demo/understand/conversation.ts'
import type { Scenario, ScenarioStep, ScenarioTurn } from './schema.ts'

interface Scene {
  readonly text: string
  readonly turn: number
  /** Results that the model answers to now; undefined when it answers to the user. */
  readonly results: readonly { readonly output_text: string; readonly is_error: boolean }[] | undefined
}

/** The plan of the first turn whose conditions hold; a plain sentence that names the scene when none does. */
export function planScenario(scenario: Scenario, request: ModelRequest): Plan {
  const scene = readScene(request)
  const turn = scenario.turns.find(candidate => isFor(candidate, scene))
  if (turn) return toPlan(turn, scene)
  const asked = scene.results ? 'these tool results' : `“${scene.text}”`
  return sayPlan(`[scenario ${scenario.name}] no turn fits message ${scene.turn}, an answer to ${asked}.`)
}

function readScene(request: ModelRequest): Scene {
  const latest = request.messages.at(-1)
  return {
    text: readConversation(request).text,
    turn: 1 + request.messages.filter(message => message.role === 'assistant').length,
    results: latest?.role === 'tool' ? latest.results : undefined,
  }
}

function isFor(turn: ScenarioTurn, scene: Scene): boolean {
  const when = turn.when ?? {}
  const results = scene.results ?? []
  const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
  const { text_contains, text_matches, result_contains } = when
  const isOf = <T>(wanted: T | undefined, actual: T): boolean => wanted === undefined || wanted === actual
  return (
    isOf(when.turn, scene.turn) &&
    isOf(when.has_result, scene.results !== undefined) &&
    (when.result_is_error === undefined ||
      (results.length > 0 && results.some(result => result.is_error) === when.result_is_error)) &&
    (text_contains === undefined || contains(scene.text, text_contains)) &&
    (text_matches === undefined || new RegExp(text_matches, 'iu').test(scene.text)) &&
    (result_contains === undefined || results.some(result => contains(result.output_text, result_contains)))
  )
}

function toPlan(turn: ScenarioTurn, scene: Scene): Plan {
  const hasCall = turn.emit.some(step => step.type === 'tool_call')
  const error = turn.emit.find(step => step.type === 'error')
  return {
    blocks: turn.emit.flatMap(step => toBlock(step, scene)),
    stop_reason: turn.stop_reason ?? (hasCall ? 'tool_use' : 'end_turn'),
    ...(turn.stop_details === undefined ? {} : { stop_details: turn.stop_details }),
    ...(error
      ? {
          error: {
            code: error.code,
            message: error.message,
            retryable: error.retryable ?? false,
            ...(error.http_status === undefined ? {} : { http_status: error.http_status }),
          },
        }
      : {}),
  }
}

function toBlock(step: ScenarioStep, scene: Scene): readonly PlannedBlock[] {
  switch (step.type) {
    case 'text': {
      const text = inserted(step.text, scene)
      return [{ type: 'text', text, ...piecesOf(step, text) }]
    }
    case 'thinking': {
      const thinking = inserted(step.text, scene)
      return [{ type: 'thinking', thinking, ...piecesOf(step, thinking) }]
    }
    case 'tool_call': {
      const input_text = step.input_text ?? toInputText(insertedDeep(step.input ?? {}, scene))
      const id = step.id === undefined ? {} : { id: step.id }
      return [{ type: 'tool_use', name: step.name, input_text, ...id, ...piecesOf(step, input_text) }]
    }
    case 'delay':
      return [step]
    case 'error':
      return []
  }
}

type ChunkedStep = Extract<ScenarioStep, { chunks?: unknown }>

/** Chunks that an insertion made untrue are dropped: the default cutting applies then. */
function piecesOf(step: ChunkedStep, content: string): { readonly pieces?: readonly string[] } {
  if (step.chunks) return step.chunks.join('') === content ? { pieces: step.chunks } : {}
  const size = step.chunk_size
  if (size === undefined) return {}
  const characters = [...content]
  const count = Math.ceil(characters.length / size)
  return {
    pieces: Array.from({ length: count }, (_, at) => characters.slice(at * size, at * size + size).join('')),
  }
}

/** `{{text}}` is the user's latest text, `{{result}}` the tool results. */
function inserted(text: string, scene: Scene): string {
  const result = (scene.results ?? []).map(item => item.output_text).join('\n')
  return text.replaceAll('{{text}}', () => scene.text).replaceAll('{{result}}', () => result)
}

function insertedDeep(value: unknown, scene: Scene): unknown {
  if (typeof value === 'string') return inserted(value, scene)
  if (Array.isArray(value)) return value.map(item => insertedDeep(item, scene))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, insertedDeep(item, scene)]))
}
