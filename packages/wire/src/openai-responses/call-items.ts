/** Calls as output items, each in the form of the tool that the client declared. Pure. */
import { parseBoundedJson } from '@toolwire/core'
import type { LooseItem } from './request-schema.ts'
import type { OutputItem } from './response.ts'
import { type CallType, isItem, type ToolForm } from './tools.ts'

export interface StartedCall {
  readonly id: string
  readonly call_id: string
  readonly name: string
  readonly form: ToolForm | undefined
}

const ITEM_TYPES: Readonly<Record<CallType, string>> = {
  function: 'function_call',
  custom: 'custom_tool_call',
  tool_search: 'tool_search_call',
  local_shell: 'local_shell_call',
  shell: 'shell_call',
  apply_patch: 'apply_patch_call',
}

export function startedItem(kind: CallType, { id, call_id, name, form }: StartedCall): OutputItem {
  const head = { id, type: ITEM_TYPES[kind], status: 'in_progress', call_id }
  if (kind !== 'function' && kind !== 'custom') return { ...head, ...payloadOf(kind, '') }
  const namespace = form?.namespace === undefined ? {} : { namespace: form.namespace }
  const empty = kind === 'custom' ? { input: '' } : { arguments: '' }
  return { ...head, name: form?.name ?? name, ...namespace, ...empty }
}

/** `text` is what the model wrote as arguments. */
export function endedItem(item: OutputItem, kind: CallType, text: string, isWhole: boolean): OutputItem {
  const status = isWhole ? 'completed' : 'incomplete'
  if (kind === 'function') return { ...item, status, arguments: text === '' && isWhole ? '{}' : text }
  if (kind === 'custom') return { ...item, status, input: inputOf(text) }
  return { ...item, status, ...payloadOf(kind, text) }
}

type HostedForm = Exclude<CallType, 'function' | 'custom'>

function payloadOf(kind: HostedForm, text: string): Readonly<Record<string, unknown>> {
  const sent = parseObject(text) ?? {}
  switch (kind) {
    case 'tool_search':
      return { execution: 'client', arguments: sent }
    case 'local_shell':
      return { action: toExec(sent) }
    case 'shell':
      return {
        action: {
          commands: textsOf(sent['commands']),
          timeout_ms: numberOf(sent['timeout_ms']),
          max_output_length: numberOf(sent['max_output_length']),
        },
      }
    case 'apply_patch':
      return { operation: toOperation(sent) }
  }
}

const toExec = (sent: LooseItem) => ({
  type: 'exec',
  command: textsOf(sent['command']),
  env: {},
  ...(numberOf(sent['timeout_ms']) === null ? {} : { timeout_ms: numberOf(sent['timeout_ms']) }),
  ...(typeof sent['working_directory'] === 'string' ? { working_directory: sent['working_directory'] } : {}),
})

function toOperation(sent: LooseItem): Readonly<Record<string, unknown>> {
  const { type, path, diff } = sent
  const head = {
    type: type === 'create_file' || type === 'delete_file' ? type : 'update_file',
    path: String(path ?? ''),
  }
  return head.type === 'delete_file' ? head : { ...head, diff: String(diff ?? '') }
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** The text inside `{"input": …}`; arguments of another form are the text. */
export function inputOf(text: string): string {
  const input = parseObject(text)?.['input']
  return typeof input === 'string' ? input : text
}

function parseObject(text: string): LooseItem | undefined {
  const value = parseBoundedJson(text)
  return isItem(value) ? value : undefined
}
