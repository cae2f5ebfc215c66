/** Displays of the built-in tools. */
import { stripAnsi } from '../ansi.ts'
import { parseJson } from '../parse-json.ts'
import type { CallView } from '../view.ts'
import { argument, asText, field, oneLine, outputText, textArgument } from './call-input.ts'
import { diffLines, patchLines, toDiff } from './diff-lines.ts'
import { readSearchLines, toPathItems, toWebItems } from './search-items.ts'
import type { DiffLine, SearchItem, TodoItem, ToolBody } from './tool-body.ts'
import type { ToolRenderer } from './tool-renderer.ts'

const path = (call: CallView): string => textArgument(call, 'file_path', 'path', 'notebook_path')
const failed = (call: CallView): boolean => call.result?.is_error === true

/** The streamed output if it is the recorded one apart from its control sequences. */
function coloredOutput(call: CallView): string {
  const text = outputText(call)
  const { tail } = call.output
  return stripAnsi(tail).trim() === text.trim() ? tail : text
}

function terminal(call: CallView): ToolBody {
  const code = field(call.result?.structured, 'exit_code') ?? field(call.result?.structured, 'exitCode')
  return {
    kind: 'terminal',
    command: textArgument(call, 'command'),
    output: coloredOutput(call),
    ...(typeof code === 'number' ? { exit_code: code } : {}),
  }
}

function readTitle(call: CallView): string {
  const from = argument(call, 'offset')
  const count = argument(call, 'limit')
  if (typeof from !== 'number') return path(call)
  return `${path(call)}:${from}${typeof count === 'number' ? `–${from + count - 1}` : ''}`
}

/** Read numbers its lines and adds notices below them: both go, the first number stays. */
function readFile(call: CallView): ToolBody | undefined {
  if (failed(call)) return undefined
  const lines = outputText(call).split('\n')
  const numbered = lines.map(line => /^ *(\d+)[\t→](.*)$/s.exec(line))
  const [first] = numbered
  const end = numbered.indexOf(null)
  const shown = end < 0 ? numbered : numbered.slice(0, end)
  return {
    kind: 'file',
    path: path(call),
    text: first ? shown.map(match => match?.[2] ?? '').join('\n') : lines.join('\n'),
    lang: langOf(path(call)),
    first_line: Number(first?.[1] ?? 1),
    ...(first && end > 0 ? { note: lines.slice(end).join('\n').trim() } : {}),
  }
}

/** The change that was made, or, before that, the one that is meant. */
function change(call: CallView): ToolBody | undefined {
  if (failed(call)) return undefined
  const lines = givenPatch(call) ?? meantLines(call)
  if (!lines) {
    const text = textArgument(call, 'content')
    return { kind: 'file', path: path(call), text, lang: langOf(path(call)), first_line: 1 }
  }
  return toDiff(path(call), lines)
}

/** A unified patch from the result, or from the preview that an approver sees. */
function givenPatch(call: CallView): readonly DiffLine[] | undefined {
  const preview = field(call.approval?.details, 'preview')
  for (const source of [call.result?.structured, call.view?.body, preview]) {
    const patch = typeof source === 'string' ? source : (field(source, 'patch') ?? field(source, 'gitDiff'))
    const lines = typeof patch === 'string' ? patchLines(patch) : undefined
    if (lines) return lines
  }
  return undefined
}

function meantLines(call: CallView): readonly DiffLine[] | undefined {
  const edits = argument(call, 'edits')
  if (Array.isArray(edits))
    return edits.flatMap((edit: unknown, i) => [
      ...(i > 0 ? [{ type: 'gap', text: '' } as const] : []),
      ...diffLines(asText(field(edit, 'old_string')), asText(field(edit, 'new_string'))),
    ])
  const old = argument(call, 'old_string')
  if (typeof old !== 'string') return undefined
  return diffLines(old, textArgument(call, 'new_string'))
}

function notebook(call: CallView): ToolBody | undefined {
  if (failed(call)) return undefined
  const cell = textArgument(call, 'cell_id')
  return {
    kind: 'notebook',
    path: path(call),
    ...(cell ? { cell } : {}),
    source: textArgument(call, 'new_source'),
    text: outputText(call),
  }
}

function searchTitle(call: CallView): string {
  const where = textArgument(call, 'path')
  return textArgument(call, 'pattern') + (where ? ` · ${where}` : '')
}

const SHOWN = 200

function search(call: CallView): ToolBody | undefined {
  if (failed(call)) return undefined
  const items = toPathItems(call.result?.structured) ?? readSearchLines(outputText(call))
  return found(call, textArgument(call, 'pattern'), items)
}

function webSearch(call: CallView): ToolBody | undefined {
  const items = toWebItems(call.result?.structured)
  return failed(call) || !items ? undefined : found(call, textArgument(call, 'query'), items)
}

const found = (call: CallView, query: string, items: readonly SearchItem[]): ToolBody => ({
  kind: 'search',
  query,
  items: items.slice(0, SHOWN),
  more: Math.max(0, items.length - SHOWN),
  text: outputText(call),
})

const plain = (call: CallView): ToolBody => ({ kind: 'text', text: outputText(call) })
const thought = (call: CallView): ToolBody => ({ kind: 'text', text: textArgument(call, 'thought') })

const questionsOf = (call: CallView): readonly string[] => {
  const asked = argument(call, 'questions')
  return Array.isArray(asked) ? asked.map(one => asText(field(one, 'question'))) : []
}

/** Each question with its answer. The questions alone are in the form that asks them. */
function answers(call: CallView): ToolBody | undefined {
  if (call.result === undefined) return { kind: 'text', text: '' }
  const given = parseJson(outputText(call))
  const rows = questionsOf(call).flatMap(question => {
    const answer = field(given, question)
    const text = Array.isArray(answer) ? answer.map(asText).join(', ') : asText(answer)
    return answer === undefined ? [] : [`${question}\n→ ${text || '—'}`]
  })
  return { kind: 'text', text: rows.length > 0 ? rows.join('\n\n') : outputText(call) }
}

function todo(call: CallView): ToolBody | undefined {
  const todos = argument(call, 'todos')
  return Array.isArray(todos) ? { kind: 'todo', items: todos.map(toTodo) } : undefined
}

function toTodo(value: unknown): TodoItem {
  const status = field(value, 'status')
  return {
    text: asText(field(value, 'content') ?? field(value, 'text')),
    status: status === 'completed' || status === 'in_progress' || status === 'cancelled' ? status : 'pending',
  }
}

function todoTitle(call: CallView): string {
  const todos = argument(call, 'todos')
  if (!Array.isArray(todos)) return ''
  const items = todos.map(toTodo)
  return `${items.filter(item => item.status === 'completed').length}/${items.length}`
}

const agentTitle = (call: CallView): string =>
  textArgument(call, 'description') || oneLine(textArgument(call, 'prompt'))
const agent = (call: CallView): ToolBody => ({
  kind: 'agent',
  prompt: textArgument(call, 'prompt'),
  text: outputText(call),
})

/** The file's extension, as highlighters name languages. */
const langOf = (file: string): string => /\.([A-Za-z0-9]{1,12})$/.exec(file)?.[1]?.toLowerCase() ?? ''

/** Looked through in order. */
export const RENDERERS: readonly ToolRenderer[] = [
  { match: 'Bash', title: call => textArgument(call, 'command'), body: terminal },
  { match: 'Read', title: readTitle, body: readFile },
  { match: ['Edit', 'MultiEdit', 'Write', 'MemoryWrite'], title: path, body: change },
  { match: 'MemoryRead', title: path, body: readFile },
  { match: ['NotebookRead', 'NotebookEdit'], title: path, body: notebook },
  { match: ['Grep', 'Glob'], title: searchTitle, body: search },
  { match: 'LS', title: call => textArgument(call, 'path'), body: plain },
  { match: 'WebSearch', title: call => textArgument(call, 'query'), body: webSearch },
  { match: 'WebFetch', title: call => textArgument(call, 'url'), body: plain },
  { match: 'TodoWrite', title: todoTitle, body: todo },
  { match: ['Agent', 'Task', 'Architect'], title: agentTitle, body: agent },
  { match: 'AskUserQuestion', title: call => oneLine(questionsOf(call).join(' · ')), body: answers },
  { match: 'Think', title: call => oneLine(textArgument(call, 'thought')), body: thought },
]
