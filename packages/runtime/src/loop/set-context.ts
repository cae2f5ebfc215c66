/** Records the prompt of a session before its first request, and changes of its environment before later ones. */
import type { Model, PromptSource, SessionState, ToolHost, ToolScope } from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import type { CallModelDeps } from './call-model.ts'

export interface SetContextDeps extends CallModelDeps {
  /** Without it sessions get no words but their own. */
  readonly prompt?: PromptSource
}

/** Commits nothing for subagents, for sessions that want no prompt, and when nothing has changed. */
export async function setContext(
  port: AgentPort,
  deps: SetContextDeps,
  work: { readonly scope: ToolScope; readonly voice: Pick<ToolHost, 'signal'> },
): Promise<void> {
  const session = port.journal.state
  if (port.agent_run_id !== undefined || !deps.prompt || !session.created?.context) return
  const session_id = port.journal.session
  if (session.context && !session.context.is_stale) {
    const changes = await deps.prompt.changes({ session_id, session, now: deps.now() })
    if (changes.length > 0)
      await port.commit(
        ...changes.map(change => ({ type: 'context.changed', ...port.stamp(), ...change }) as const),
      )
    return
  }
  await deps.tools.refresh?.().catch(() => undefined)
  const made = await deps.prompt.make({
    session_id,
    session,
    model: modelOf(session, deps),
    tools: deps.tools.specs(work.scope).map(tool => tool.name),
    now: deps.now(),
    signal: work.voice.signal,
  })
  // A stop may have cut short what was read; the next driver makes it again.
  if (work.voice.signal.aborted) return
  await port.commit({ type: 'context.set', ...port.stamp(), ...made })
}

/** A model that cannot be found fails the run when it is asked. */
function modelOf(session: SessionState, { models }: CallModelDeps): Pick<Model, 'id' | 'context'> {
  const id = session.run?.model ?? session.model
  try {
    return models(id)
  } catch {
    return { id }
  }
}
