/** Which tools exist, which of them a session is offered, and what a wrong name probably meant. */
import type { SubagentState, Tool, ToolSetting, ToolSpec } from '@toolwire/core'
import { nearest } from './checks/nearest.ts'
import type { ToolScope } from './tool-system.ts'

export type Found =
  | { readonly type: 'server'; readonly tool: Tool }
  | { readonly type: 'client'; readonly spec: ToolSpec }
  | { readonly type: 'missing'; readonly meant: readonly string[]; readonly why?: string }

export interface Registry {
  /** The tools of this scope, server tools first, both in a stable order. */
  readonly specs: (scope: ToolScope) => readonly ToolSpec[]
  readonly find: (name: string, scope: ToolScope) => Found
}

/** `tools` is asked every time, so that tools may come and go; of two with one name the first counts. */
export function createRegistry(tools: () => readonly Tool[]): Registry {
  function offered(scope: ToolScope): readonly Tool[] {
    const setting = toSetting(scope)
    return tools().filter(tool => isChosen(tool.name, scope) && (tool.isEnabled?.(setting) ?? true))
  }

  function specs(scope: ToolScope): readonly ToolSpec[] {
    const setting = toSetting(scope)
    const clients = clientTools(scope)
    const taken = new Set(clients.map(spec => spec.name))
    const server = offered(scope).filter(tool => !taken.has(tool.name) && !!taken.add(tool.name))
    return [...server.map(tool => toSpec(tool, setting)), ...clients]
  }

  function find(name: string, scope: ToolScope): Found {
    const spec = clientTools(scope).find(one => one.name === name)
    if (spec) return { type: 'client', spec }
    const available = offered(scope)
    const tool = available.find(one => one.name === name)
    if (tool) return { type: 'server', tool }
    const disabled = tools().some(one => one.name === name)
    const names = [...available.map(one => one.name), ...clientTools(scope).map(one => one.name)]
    return {
      type: 'missing',
      meant: disabled ? [] : nearest(name, names),
      ...(disabled ? { why: 'It is disabled in this session.' } : {}),
    }
  }
  return { specs, find }
}

function toSetting(scope: ToolScope): ToolSetting {
  const session = scope.session()
  return {
    cwd: session.created?.cwd ?? process.cwd(),
    permission_mode: session.permission_mode,
    model: scope.agent().run?.model ?? session.model,
    depth: ancestors(scope).length,
  }
}

/** A tool that the request brought wins over a server tool of the same name: its owner asked for it. */
const clientTools = (scope: ToolScope): readonly ToolSpec[] => scope.agent().run?.client_tools ?? []

function toSpec(tool: Tool, setting: ToolSetting): ToolSpec {
  const { name, description, input_schema } = tool
  return {
    name,
    description: typeof description === 'string' ? description : description(setting),
    input_schema,
  }
}

/** Sessions and subagents name their tools; a trailing `*` stands for any ending. What a parent lacks, its subagents lack. */
function isChosen(name: string, scope: ToolScope): boolean {
  return [scope.session().created?.tools, ...ancestors(scope).map(agent => agent.spec.tools)].every(
    list => list === undefined || list.some(entry => entry === name || matchesPrefix(entry, name)),
  )
}

/** The scope's own subagent and those above it; none for the root agent. */
function ancestors(scope: ToolScope): readonly SubagentState[] {
  const { agents } = scope.session()
  const out: SubagentState[] = []
  for (let id = scope.agent_run_id; id !== undefined; id = out.at(-1)?.parent_agent_run_id) {
    const agent = agents[id]
    if (!agent) break
    out.push(agent)
  }
  return out
}

const matchesPrefix = (entry: string, name: string): boolean =>
  entry.endsWith('*') && name.startsWith(entry.slice(0, -1))
