/** Everything one call works with: its tool's context, its notes, its voice. */
import { join } from 'node:path'
import {
  type AgentState,
  type CallState,
  isSearchCall,
  loadedSkills,
  type QuestionAnswer,
  readHostedSearch,
  type ToolContext,
  type ToolHost,
  type ToolScope,
} from '@toolwire/core'
import type { DiskQuota } from '../disk-quota.ts'
import { fileName } from '../file-name.ts'
import { canonicalPath, isInsideRoots } from '../files/resolve-path.ts'
import { workspaceOf } from '../workspace-of.ts'
import type { CallCleanups } from './call-cleanups.ts'
import { type CallNotes, type NoteOverlay, openCallNotes } from './call-notes.ts'
import { isLoopQuestion } from './loop-question.ts'

export interface CallWork {
  readonly call: CallState
  readonly scope: ToolScope
  readonly voice: ToolHost
  readonly notebook: CallNotes
  readonly context: ToolContext
  /** The call has its terminal event: ends what it kept alive. */
  readonly over: () => void
}

export interface ContextSettings {
  readonly overlay: NoteOverlay
  /** Canonical. */
  readonly artifacts: string
  readonly disk: DiskQuota
  readonly output: ToolContext['output']
  /** Directories beside the workspace that need no question. */
  readonly roots: readonly string[]
  /** Directories of the server itself; evaluated for every call. */
  readonly hidden: readonly string[]
  /** Resources that waiting calls keep open. */
  readonly kept: CallCleanups
}

/** The name of the note that keeps the working directory of an agent's shell. */
export const CWD_NOTE = 'cwd'

export function openCall(
  call: CallState,
  scope: ToolScope,
  given: ToolHost,
  settings: ContextSettings,
): CallWork {
  const signal = given.signalFor?.(call.call_id) ?? given.signal
  const voice = { ...given, signal }
  const notebook = openCallNotes(settings.overlay, scope, voice)
  const { path: workspace, isolated } = workspaceOf(scope)
  const moved = notebook.notes.get(CWD_NOTE)
  const hasMoved = typeof moved === 'string' && (!isolated || isInsideRoots(moved, [workspace]))
  const artifacts = join(settings.artifacts, fileName(scope.session_id))
  const { runAgent, agents } = voice
  const context: ToolContext = {
    session_id: scope.session_id,
    call_id: call.call_id,
    idempotency_key: `${scope.session_id}:${call.call_id}`,
    ...(scope.agent_run_id === undefined ? {} : { agent_run_id: scope.agent_run_id }),
    cwd: hasMoved ? moved : workspace,
    roots: [workspace, ...settings.roots, artifacts],
    readable: skillFolders(scope),
    skills: scope.session().context?.skills ?? [],
    agents_of_project: scope.session().context?.agents ?? [],
    permission_mode: scope.session().permission_mode,
    hidden: settings.hidden.map(dir => canonicalPath(dir)),
    artifacts,
    disk: settings.disk.share(scope.session_id),
    output: settings.output,
    notes: notebook.notes,
    signal: voice.signal,
    attempt: (call.started?.attempt ?? 0) + 1,
    edited: call.approval?.edited_input_text !== undefined,
    ...approvedPreview(call),
    ...(runAgent === undefined ? {} : { runAgent: spec => runAgent(call.call_id, spec) }),
    ...(agents === undefined ? {} : { agents }),
    ...answerTo(call),
    withdraw: reason => withdraw(call.call_id, scope, voice, reason),
    onCallEnd: end => settings.kept.add(scope, call.call_id, end),
    ...searchFor(call, scope.agent()),
    isInHistory: call_id => isShown(call_id, scope.agent()),
  }
  return { call, scope, voice, notebook, context, over: () => settings.kept.end(scope, call.call_id) }
}

/** The search that the client asked for, of the calls that serve it. */
function searchFor({ name }: CallState, { run, messages }: AgentState): Pick<ToolContext, 'hosted_search'> {
  const search = readHostedSearch(run?.options)
  if (!search || !isSearchCall(search, name)) return {}
  const asked = messages.findLastIndex(message => message.role === 'user')
  const results = messages
    .slice(asked + 1)
    .flatMap(message => (message.role === 'tool' ? message.results : []))
  return { hosted_search: { ...search, used: results.filter(one => isSearchCall(search, one.name)).length } }
}

/** Those of skills that the agent, or its session, has loaded. */
const skillFolders = ({ agent, session, agent_run_id }: ToolScope): readonly string[] => {
  const own = loadedSkills(agent().notes)
  const shared = agent_run_id === undefined ? [] : loadedSkills(session().notes)
  return [...own, ...shared].map(({ dir }) => dir)
}

/** True if the model still sees the whole result of a call: in the history, or repeated by its summary. */
function isShown(call_id: string, { messages, compaction }: AgentState): boolean {
  const { replaced = 0, summary, shortened = [], repeated = [] } = compaction ?? {}
  if (repeated.includes(call_id)) return true
  const shown = summary === undefined ? messages : messages.slice(replaced)
  return (
    !shortened.includes(call_id) &&
    shown.some(message => message.role === 'tool' && message.results.some(one => one.call_id === call_id))
  )
}

/** The answer to the question with which the call was suspended. */
function answerTo({ approval }: CallState): { readonly answered?: QuestionAnswer } {
  if (!approval?.resumes || !approval.decision || isLoopQuestion(approval)) return {}
  const { decision, answer_text: text, reason } = approval
  return {
    answered: {
      decision,
      ...(text === undefined ? {} : { text }),
      ...(reason === undefined ? {} : { reason }),
    },
  }
}

async function withdraw(call_id: string, scope: ToolScope, voice: ToolHost, reason: string): Promise<void> {
  const approval = scope.agent().calls.find(call => call.call_id === call_id)?.approval
  if (!approval?.resumes || approval.decision) return
  const { approval_id } = approval
  await voice.withdraw?.({ approval_id, call_id, agent_run_id: scope.agent_run_id, reason })
}

/** The approver's preview, unless they changed its arguments. */
function approvedPreview({ approval }: CallState): Pick<ToolContext, 'approved'> {
  if (approval?.decision !== 'approved' || approval.edited_input_text !== undefined) return {}
  const { preview } = (approval.details ?? {}) as { readonly preview?: unknown }
  return preview === undefined ? {} : { approved: preview }
}

/** The same call with the notes of the session: for what must outlive the subagent that makes the call. */
export function forSession({ call, scope, voice }: CallWork, settings: ContextSettings): CallWork {
  const { session_id, session } = scope
  const stamp = (): ReturnType<ToolHost['stamp']> => {
    const { agent_run_id: _, ...rest } = voice.stamp()
    return rest
  }
  return openCall(call, { session_id, session, agent: session }, { ...voice, stamp }, settings)
}
