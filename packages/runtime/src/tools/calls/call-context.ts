/** Everything one call works with: its tool's context, its notes, its voice. */
import { join } from 'node:path'
import type { CallState, ToolContext } from '@toolwire/core'
import type { ToolScope, ToolVoice } from '../tool-system.ts'
import { type Notebook, type NoteOverlay, openNotebook } from './notebook.ts'

export interface CallWork {
  readonly call: CallState
  readonly scope: ToolScope
  readonly voice: ToolVoice
  readonly notebook: Notebook
  readonly context: ToolContext
}

export interface ContextSettings {
  readonly overlay: NoteOverlay
  readonly artifacts: string
  readonly output: ToolContext['output']
  /** Directories beside the workspace that need no question. */
  readonly roots: readonly string[]
}

/** The name of the note that keeps the working directory of an agent's shell. */
export const CWD_NOTE = 'cwd'

export function openCall(
  call: CallState,
  scope: ToolScope,
  voice: ToolVoice,
  settings: ContextSettings,
): CallWork {
  const notebook = openNotebook(settings.overlay, scope, voice)
  const workspace = scope.session().created?.cwd ?? process.cwd()
  const moved = notebook.notes.get(CWD_NOTE)
  const artifacts = join(settings.artifacts, fileName(scope.session_id))
  const { runAgent } = voice
  const context: ToolContext = {
    session_id: scope.session_id,
    call_id: call.call_id,
    ...(scope.agent_run_id === undefined ? {} : { agent_run_id: scope.agent_run_id }),
    cwd: typeof moved === 'string' ? moved : workspace,
    roots: [workspace, ...settings.roots, artifacts],
    artifacts,
    output: settings.output,
    notes: notebook.notes,
    signal: voice.signal,
    attempt: (call.started?.attempt ?? 0) + 1,
    edited: call.approval?.edited_input_text !== undefined,
    ...(runAgent === undefined ? {} : { runAgent: spec => runAgent(call.call_id, spec) }),
    isInHistory: call_id =>
      scope
        .agent()
        .messages.some(
          message => message.role === 'tool' && message.results.some(result => result.call_id === call_id),
        ),
  }
  return { call, scope, voice, notebook, context }
}

/** The same call with the notes of the session: for what must outlive the subagent that makes the call. */
export function forSession({ call, scope, voice }: CallWork, settings: ContextSettings): CallWork {
  const { session_id, session } = scope
  const stamp = (): ReturnType<ToolVoice['stamp']> => {
    const { agent_run_id: _, ...rest } = voice.stamp()
    return rest
  }
  return openCall(call, { session_id, session, agent: session }, { ...voice, stamp }, settings)
}

/** Ids come from outside; as file names they keep only what is safe. */
export const fileName = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 120) || '_'
