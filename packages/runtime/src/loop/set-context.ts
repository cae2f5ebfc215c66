/** Records the prompt of a session before its first request, and changes of its environment before later ones. */
import {
  loadedSkills,
  type Model,
  type PromptSource,
  type SessionState,
  type ToolHost,
  type ToolScope,
} from '@toolwire/core'
import type { AgentPort } from './agent-port.ts'
import type { CallModelDeps } from './call-model.ts'

export interface SetContextDeps extends CallModelDeps {
  /** Without it sessions get no words but their own. */
  readonly prompt?: PromptSource
}

interface PromptWork {
  readonly scope: ToolScope
  readonly voice: Pick<ToolHost, 'signal'>
}

/** Commits nothing for subagents, for sessions that want no prompt, and when nothing has changed. */
export async function setContext(port: AgentPort, deps: SetContextDeps, work: PromptWork): Promise<void> {
  const session = port.journal.state
  if (port.agent_run_id !== undefined || !deps.prompt || !session.created?.context) return
  await recordContext(port, deps, work)
  if (work.voice.signal.aborted) return
  await loadNamedSkill(port, deps)
}

/** Once per message: the event names its run. */
async function loadNamedSkill(port: AgentPort, { prompt }: SetContextDeps): Promise<void> {
  const session = port.journal.state
  const text = newestText(session)
  if (!prompt?.skillIn || text === undefined) return
  const skill = await prompt.skillIn(text, session)
  if (!skill) return
  const run_id = session.run?.run_id
  const isLoaded = loadedSkills(session.notes).some(one => one.name === skill.name && one.run_id === run_id)
  if (!isLoaded) await port.commit({ type: 'skill.loaded', ...port.stamp(), by: 'user', ...skill })
}

/** The person's message that has no answer yet; undefined for one that does not begin with a slash. */
function newestText({ messages }: SessionState): string | undefined {
  const newest = messages.findLast(message => message.role !== 'system')
  if (newest?.role !== 'user') return undefined
  const [first] = newest.content
  return first?.type === 'text' && first.text.trimStart().startsWith('/') ? first.text : undefined
}

async function recordContext(port: AgentPort, deps: SetContextDeps, work: PromptWork): Promise<void> {
  const session = port.journal.state
  const session_id = port.journal.session
  if (!deps.prompt) return
  if (session.context && !session.context.is_stale) {
    const changes = await deps.prompt.changes({
      session_id,
      session,
      model: modelOf(session, deps),
      now: deps.now(),
    })
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
