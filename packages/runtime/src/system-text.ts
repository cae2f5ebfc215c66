/** The words before the first message of an agent, from the log alone: the same records give the same bytes. Pure. */
import type { SessionState } from '@toolwire/core'

/** Undefined without any. */
export function systemOf(session: SessionState, agent_run_id: string | undefined): string | undefined {
  const { created, agents, context } = session
  if (agent_run_id === undefined) return context ? joined(context.parts) : created?.system
  const spec = agents[agent_run_id]?.spec
  // One without a type writes for an MCP server, which must not learn of the workspace.
  if (!context || !spec || spec.agent_type === undefined) return spec?.system
  const mayLoad = spec.tools === undefined || spec.tools.some(name => name === 'Skill' || name === '*')
  const keys = ['project', ...(mayLoad ? ['skills'] : []), 'environment']
  const shared = context.parts.filter(part => keys.includes(part.key))
  const worktree =
    spec.cwd === undefined
      ? []
      : [
          {
            text: `Your working directory is ${spec.cwd}, a git worktree that you alone work in. It replaces the one above.`,
          },
        ]
  return joined([{ text: spec.system ?? '' }, ...shared, ...worktree])
}

const joined = (parts: readonly { readonly text: string }[]): string | undefined => {
  const text = parts
    .map(part => part.text)
    .filter(part => part !== '')
    .join('\n\n')
  return text === '' ? undefined : text
}
