/** Calls and their outputs among the input items, each in the form of its tool. Pure but for the warnings. */
import {
  AppError,
  type AssistantPart,
  type ContentPart,
  parseBoundedJson,
  type ToolResultPart,
} from '@toolwire/core'
import type { ReceivedMessage } from '../gateway/pair-results.ts'
import type { Warnings } from '../gateway/warning.ts'
import { readContent } from './input-content.ts'
import type { LooseItem } from './request-schema.ts'
import { isItem, type ToolNames } from './tools.ts'

/** The tools whose items do not name them. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tool_search_call', 'tool_search'],
  ['local_shell_call', 'local_shell'],
  ['shell_call', 'shell'],
  ['apply_patch_call', 'apply_patch'],
])
const OUTPUTS: ReadonlySet<string> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'tool_search_output',
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
])

export const isCallType = (type: string): boolean =>
  type === 'function_call' || type === 'custom_tool_call' || NAMES.has(type)
export const isOutputType = (type: string): boolean => OUTPUTS.has(type)

interface CallReader {
  readonly warnings: Warnings
  readonly names: ToolNames
}

/** Throws `bad_request` for a call without id or name. */
export function readCall(item: LooseItem, at: string, { names, warnings }: CallReader): AssistantPart {
  const call_id = idOf(item, at)
  const { namespace, name = NAMES.get(String(item['type'])) } = item
  if (typeof name !== 'string' || name === '')
    throw new AppError('bad_request', `${at}.name: expected a name`)
  const known = names(typeof namespace === 'string' && namespace !== '' ? namespace : undefined, name)
  return { type: 'tool_use', call_id, name: known, input_text: argumentsOf(item, at, warnings) }
}

/** As the client sends them; text that is no JSON object is wrapped, so that no provider fails on it. */
function argumentsOf(item: LooseItem, at: string, warnings: Warnings): string {
  const { arguments: sent, input, action, operation } = item
  if (item['type'] === 'custom_tool_call')
    return JSON.stringify({ input: typeof input === 'string' ? input : '' })
  if (isItem(operation)) return JSON.stringify(operation)
  if (isItem(action)) return JSON.stringify(toArguments(action))
  if (isItem(sent)) return JSON.stringify(sent)
  if (typeof sent !== 'string' || sent.trim() === '') return '{}'
  if (isItem(parseBoundedJson(sent))) return sent
  warnings.add('arguments_wrapped', `${at}: the arguments are no JSON object; they are passed on as text.`)
  return JSON.stringify({ _raw: sent })
}

/** The action of a shell call as the model wrote it: without the fields that the wire adds. */
function toArguments({ type: _, env: __, ...action }: LooseItem): LooseItem {
  return Object.fromEntries(Object.entries(action).filter(([, value]) => value !== null))
}

/** Outputs of the local shell name their call by `id`. */
function idOf(item: LooseItem, at: string): string {
  const call_id = item['call_id'] ?? (item['type'] === 'local_shell_call_output' ? item['id'] : undefined)
  if (typeof call_id === 'string' && call_id !== '' && call_id.length <= 256) return call_id
  throw new AppError('bad_request', `${at}.call_id: expected the id of a call`)
}

/** Throws `bad_request` for an output without a call, or with content that cannot be read. */
export function readOutput(item: LooseItem, at: string): ReceivedMessage {
  const content = contentOf(item, at)
  const hasMedia = content.some(part => part.type !== 'text')
  const result: ToolResultPart = {
    type: 'tool_result',
    call_id: idOf(item, at),
    name: '',
    output_text: content.map(part => (part.type === 'text' ? part.text : '')).join(''),
    content: hasMedia ? content : [],
    is_error: item['type'] === 'apply_patch_call_output' && item['status'] === 'failed',
  }
  return { role: 'result', result, place: at }
}

function contentOf(item: LooseItem, at: string): readonly ContentPart[] {
  const { type, output } = item
  const toText = (text: string): readonly ContentPart[] => [{ type: 'text', text }]
  if (type === 'tool_search_output') return toText(JSON.stringify(item['tools'] ?? []))
  if (type === 'shell_call_output' && Array.isArray(output))
    return toText(output.filter(isItem).map(toShellText).join('\n\n'))
  if (type === 'apply_patch_call_output') return toText(patchText(item))
  return readContent(output ?? '', `${at}.output`)
}

function toShellText({ stdout, stderr, outcome }: LooseItem): string {
  const { type, exit_code } = isItem(outcome) ? outcome : {}
  const end = type === 'timeout' ? 'The command timed out.' : `exit code: ${String(exit_code ?? 0)}`
  return [stdout, stderr, end].filter(text => typeof text === 'string' && text !== '').join('\n')
}

const patchText = ({ status, output }: LooseItem): string =>
  [String(status ?? 'completed'), output].filter(text => typeof text === 'string' && text !== '').join(': ')
