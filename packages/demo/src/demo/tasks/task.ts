/**
 * A task is a request of several steps, written as a generator: it yields the calls that it needs, receives their
 * results, and returns the answer. It runs from its start in every round over the results so far, so it keeps no state.
 */
import type { ContentPart, ToolSpec } from '@toolwire/core'
import { describeCall } from '../answer/describe-outcome.ts'
import type { PlannedCall } from '../answer/pursue-intent.ts'
import { fitInput } from '../input/fit-input.ts'
import type { Language } from '../phrases/language.ts'
import { phrasesFor } from '../phrases/phrases.ts'
import type { SettledCall } from '../understand/conversation.ts'
import { type ToolRole, toolFor } from '../understand/known-tools.ts'
import { foundPaths } from '../understand/read-listing.ts'
import type { History } from './history.ts'

export interface TaskContext {
  readonly text: string
  readonly language: Language
  readonly tools: readonly ToolSpec[]
  readonly history: History
  /** Images and documents of the latest message. */
  readonly media: readonly Exclude<ContentPart, { type: 'text' }>[]
}

export interface RoleCall {
  readonly role: ToolRole
  readonly input: Readonly<Record<string, unknown>>
}

export interface TaskStep {
  readonly say: string
  readonly calls: readonly RoleCall[]
  /** The task handles failed calls itself; otherwise one ends it. */
  readonly takesErrors?: boolean
}

export type TaskRun = Generator<TaskStep, string, readonly SettledCall[]>

export interface Task {
  readonly pattern: RegExp
  readonly run: (context: TaskContext, match: RegExpExecArray) => TaskRun
}

export type TaskResult =
  | { readonly type: 'answer'; readonly text: string }
  | { readonly type: 'calls'; readonly say: string; readonly calls: readonly PlannedCall[] }

/** Runs the task over the calls that are settled. Calls are matched by position: an approver may have edited one. */
export function runTask(run: TaskRun, context: TaskContext, settled: readonly SettledCall[]): TaskResult {
  let used = 0
  let step = run.next()
  while (!step.done) {
    const { say, calls, takesErrors = false } = step.value
    const planned = calls.map(call => toPlanned(call, context))
    const missing = calls.find((_, at) => planned[at] === undefined)
    if (missing) return { type: 'answer', text: noTool(missing.role, context.language) }
    const results = settled.slice(used, used + calls.length)
    if (results.length < calls.length) {
      const open = planned.slice(results.length).filter(call => call !== undefined)
      return { type: 'calls', say, calls: open }
    }
    used += calls.length
    const failed = results.filter(result => result.is_error)
    if (failed.length > 0 && !takesErrors)
      return { type: 'answer', text: failed.map(call => describe(call, context)).join('\n\n') }
    step = run.next(results.map(result => withEarlierContent(result, context)))
  }
  return { type: 'answer', text: step.value }
}

const UNCHANGED = /^\[.+: lines \d+-\d+ are unchanged since they were read before; see there\]$/

/** A read that refers to an earlier one gets the content of that one. */
function withEarlierContent(call: SettledCall, { history }: TaskContext): SettledCall {
  if (!UNCHANGED.test(call.output.trim())) return call
  const input = JSON.stringify(call.input)
  const earlier = history.turns
    .flatMap(turn => turn.calls)
    .findLast(
      one =>
        one.name === call.name && JSON.stringify(one.input) === input && !UNCHANGED.test(one.output.trim()),
    )
  return earlier ? { ...call, output: earlier.output } : call
}

const describe = (call: SettledCall, { language }: TaskContext): string =>
  describeCall(call, phrasesFor(language))

function toPlanned({ role, input }: RoleCall, { tools, text }: TaskContext): PlannedCall | undefined {
  const tool = toolFor(role, tools)
  return tool && { name: tool.name, input: fitInput(tool, input, text) }
}

/** One of three texts. */
export const say = (language: Language, en: string, hans: string, hant: string): string =>
  language === 'en' ? en : language === 'zh-Hans' ? hans : hant

const noTool = (role: ToolRole, language: Language): string =>
  say(
    language,
    `That needs a tool that is not available in this session (${role}). Switch it on, or ask for something else.`,
    `这需要一个此会话中没有的工具（${role}）。请启用它，或换一个请求。`,
    `這需要一個此對話中沒有的工具（${role}）。請啟用它，或換一個請求。`,
  )

export const read = (path: string): RoleCall => ({ role: 'read', input: { file_path: path, path } })
export const find = (pattern: string): RoleCall => ({ role: 'find', input: { pattern } })
export const shell = (command: string, description: string): RoleCall => ({
  role: 'shell',
  input: { command, description },
})
export const write = (path: string, content: string): RoleCall => ({
  role: 'write',
  input: { file_path: path, path, content },
})
export const edit = (path: string, from: string, to: string, all = false): RoleCall => ({
  role: 'edit',
  input: { file_path: path, path, old_string: from, new_string: to, ...(all ? { replace_all: true } : {}) },
})
export const grep = (pattern: string): RoleCall => ({
  role: 'search',
  input: { pattern, output_mode: 'content', '-n': true },
})

/** Lines of a file as Read shows them, without line numbers. */
export function fileLines(output: string): readonly string[] {
  const numbered = output.split('\n').flatMap(line => /^\s*\d+[\t→|](.*)$/u.exec(line)?.[1] ?? [])
  return numbered.length > 0 ? numbered : output.split('\n')
}

export const bullets = (items: readonly string[]): string => items.map(item => `- ${item}`).join('\n')
export const fenced = (text: string, lang = ''): string => `\`\`\`${lang}\n${text}\n\`\`\``

/** The path of a file that is named with or without its folder; undefined when no file has that name. */
export function* locate(
  name: string,
  language: Language,
): Generator<TaskStep, string | undefined, readonly SettledCall[]> {
  if (name.includes('/')) return name
  const looking = say(language, `Let me find ${name}.`, `我先找到 ${name}。`, `我先找到 ${name}。`)
  const [found] = yield { say: looking, calls: [find(`**/${name}${name.includes('.') ? '' : '*'}`)] }
  return foundPaths(found?.output ?? '')[0]
}
