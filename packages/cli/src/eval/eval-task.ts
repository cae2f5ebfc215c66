/** A task for a model: a workspace, a request, and a check of what came of it. */
import type { ModelRequest } from '@toolwire/core'

export interface EvalCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: string
  readonly is_error: boolean
  /** The model message that made it, counted from 0. */
  readonly message: number
}

export interface WorkspaceCommits {
  /** Subjects of all commits, the newest first. */
  readonly subjects: readonly string[]
  /** Paths that the newest commit changed. */
  readonly latest: readonly string[]
}

/** The end of a task. */
export interface EvalRun {
  /** The text of the last message. */
  readonly final: string
  readonly calls: readonly EvalCall[]
  /** Everything that the model got, request by request. */
  readonly requests: readonly ModelRequest[]
  /** Paths of files that were changed, added or removed since the request, without those of git. */
  readonly changed: readonly string[]
  /** Undefined when there is no such file. */
  readonly read: (path: string) => string | undefined
  readonly commits: WorkspaceCommits
  /** Undefined when the price of the model is unknown. */
  readonly cost_usd: number | undefined
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'paused'
  /** The message of a run that failed. */
  readonly error: string | undefined
}

/** One message of a scripted model: text, or calls. */
export type ScriptedMessage =
  | string
  | readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[]

export interface EvalTask {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** Commits the files before the task. */
  readonly git?: boolean
  /** Written after that commit: changes of the person. */
  readonly uncommitted?: Readonly<Record<string, string>>
  readonly request: string
  readonly permission_mode?: string
  /** Rules that deny calls. */
  readonly deny?: readonly string[]
  /** Problems of a run; none when it is good. */
  readonly check: (run: EvalRun) => readonly string[]
  /** Scripts of a model: the check accepts the first and rejects the second. */
  readonly good: readonly ScriptedMessage[]
  readonly bad: readonly ScriptedMessage[]
}

export const HAN = /\p{Script=Han}/u

export const call = (name: string, input: Readonly<Record<string, unknown>>) => ({ name, input })
export const bash = (command: string) => call('Bash', { command })
export const read = (file_path: string, more: Readonly<Record<string, unknown>> = {}) =>
  call('Read', { file_path, ...more })
export const edit = (file_path: string, old_string: string, new_string: string) =>
  call('Edit', { file_path, old_string, new_string })

/** The problems whose condition does not hold. */
export const problemsOf = (conditions: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.entries(conditions).flatMap(([problem, holds]) => (holds ? [] : [problem]))
