/** The existing tools, those offered to a session, and suggestions for a wrong name. */
import {
  isSearchCall,
  RecentMap,
  readHostedSearch,
  type SessionAgentType,
  type SessionSkill,
  type SessionState,
  type SubagentState,
  type Tool,
  type ToolScope,
  type ToolSetting,
  type ToolSpec,
} from '@toolwire/core'
import { nearest } from './checks/nearest.ts'
import { attempt, guardTool } from './guarded-tool.ts'
import { LOADED_NOTE, loadedTools } from './loaded-tools.ts'
import { workspaceOf } from './workspace-of.ts'

export type ToolLookup =
  | { readonly type: 'server'; readonly tool: Tool }
  /** `tool` is there when the server offers it, and not the request. */
  | { readonly type: 'client'; readonly spec: ToolSpec; readonly tool?: Tool }
  | { readonly type: 'missing'; readonly suggestions: readonly string[]; readonly why?: string }

export interface Registry {
  /** The tools of this scope, server tools first, both in a stable order. */
  readonly specs: (scope: ToolScope) => readonly ToolSpec[]
  readonly find: (name: string, scope: ToolScope) => ToolLookup
  /** Identity of the tool that the model received last; undefined if unknown. */
  readonly definitionTold: (name: string, scope: ToolScope) => string | undefined
}

const MAX_REMEMBERED = 1_000

/** `tools` is asked every time, so that tools may come and go; of two with one name the first counts. */
export function createRegistry(tools: () => readonly Tool[]): Registry {
  function offered(scope: ToolScope): readonly Tool[] {
    const setting = toSetting(scope)
    const lists = toolLists(scope)
    return tools()
      .map(guardTool)
      .filter(tool => !tool.client || hasOwnClient(scope))
      .filter(tool => isChosen(tool, lists) && (tool.isEnabled?.(setting) ?? true))
  }

  function specs(scope: ToolScope): readonly ToolSpec[] {
    const setting = toSetting(scope)
    const clients = clientTools(scope)
    const taken = new Set(clients.map(spec => spec.name))
    const loaded = loadedIn(scope)
    const available = offered(scope)
    const names = new Set(available.map(tool => tool.name))
    const server = available
      .filter(tool => !names.has(supersederOf(tool, setting) ?? ''))
      .filter(tool => !tool.deferred || loaded.has(tool.name))
      .filter(tool => !taken.has(tool.name) && !!taken.add(tool.name))
    remember(scope, server)
    return [...server.flatMap(tool => toSpec(tool, setting)), ...clients]
  }

  const definitions = new RecentMap<string, ReadonlyMap<string, string>>(MAX_REMEMBERED)

  /** Remembers the tools sent to the model; only the latest, and only in this process. */
  function remember(scope: ToolScope, server: readonly Tool[]): void {
    const key = `${scope.session_id}/${scope.agent_run_id ?? ''}`
    const known = server.flatMap(({ name, definition }) => (definition ? [[name, definition] as const] : []))
    if (known.length > 0) definitions.set(key, new Map(known))
    else definitions.delete(key)
  }

  const definitionTold = (name: string, scope: ToolScope): string | undefined =>
    definitions.get(`${scope.session_id}/${scope.agent_run_id ?? ''}`)?.get(name)

  function find(name: string, scope: ToolScope): ToolLookup {
    const spec = clientTools(scope).find(one => one.name === name)
    if (spec) return { type: 'client', spec }
    const available = offered(scope)
    const tool = available.find(one => one.name === name) ?? searchTool(name, scope, available)
    if (tool?.client)
      return (
        toSpec(tool, toSetting(scope)).map(one => ({ type: 'client', spec: one, tool }) as const)[0] ??
        MISSING
      )
    if (tool) return { type: 'server', tool }
    const disabled = tools().some(one => one.name === name)
    const names = [...available.map(one => one.name), ...clientTools(scope).map(one => one.name)]
    return {
      type: 'missing',
      suggestions: disabled ? [] : nearest(name, names),
      ...(disabled ? { why: 'It is disabled in this session.' } : {}),
    }
  }
  return { specs, find, definitionTold }
}

/** The tool behind a search that the client asked for: models call it by the name that they know from its vendor. */
function searchTool(name: string, scope: ToolScope, available: readonly Tool[]): Tool | undefined {
  const search = readHostedSearch(scope.agent().run?.options)
  return search && isSearchCall(search, name) ? available.find(one => one.name === search.tool) : undefined
}

const MISSING: ToolLookup = { type: 'missing', suggestions: [] }

/** Wires whose clients show what a session waits for. A client of a vendor's API knows the tools that it brought, and no others. */
const OWN_WIRES: ReadonlySet<string> = new Set(['chat', 'thread', 'api'])

function hasOwnClient(scope: ToolScope): boolean {
  const protocol = scope.agent().run?.via?.protocol
  return protocol === undefined || OWN_WIRES.has(protocol)
}

function loadedIn(scope: ToolScope): ReadonlySet<string> {
  const own = scope.agent().notes?.[LOADED_NOTE]
  const shared = scope.session().notes?.[LOADED_NOTE]
  return new Set([...loadedTools(own), ...loadedTools(shared)])
}

function toSetting(scope: ToolScope): ToolSetting {
  const session = scope.session()
  return {
    cwd: workspaceOf(scope).path,
    permission_mode: session.permission_mode,
    model: scope.agent().run?.model ?? session.model,
    depth: ancestors(scope).length,
    ...skillsOf(session),
    agents: session.context?.agents ?? NO_AGENTS,
  }
}

const NO_AGENTS: readonly SessionAgentType[] = []
const NO_SKILLS: readonly SessionSkill[] = []

/** Unknown before the prompt is recorded, and while it is recorded again. */
function skillsOf({ context, created }: SessionState): Pick<ToolSetting, 'skills'> {
  const wanted = created?.context?.skills ?? 'off'
  if (wanted === 'off') return { skills: NO_SKILLS }
  return context && !context.is_stale ? { skills: context.skills ?? NO_SKILLS } : {}
}

/** A tool that the request brought wins over a server tool of the same name: its owner asked for it. */
const clientTools = (scope: ToolScope): readonly ToolSpec[] => scope.agent().run?.client_tools ?? []

const supersederOf = ({ superseded_by: other }: Tool, setting: ToolSetting): string | undefined =>
  typeof other === 'function' ? other(setting) : other

/** Nothing for a tool whose schema has no JSON form: it cannot be sent to the model. */
function toSpec(tool: Tool, setting: ToolSetting): readonly ToolSpec[] {
  const { name, description, prompt } = tool
  const told = [description, prompt ?? '']
    .map(text => (typeof text === 'string' ? text : text(setting)))
    .filter(text => text !== '')
    .join('\n\n')
  return attempt(
    () => [
      sameSpec({
        name,
        description: told,
        input_schema: tool.inputSchemaFor?.(setting) ?? tool.input_schema,
      }),
    ],
    () => [],
  )
}

/** The latest of each schema. A run keeps its specs for as long as a model answers: all runs share one. */
const latest = new WeakMap<ToolSpec['input_schema'], ToolSpec>()

function sameSpec(spec: ToolSpec): ToolSpec {
  const known = latest.get(spec.input_schema)
  if (known?.name === spec.name && known.description === spec.description) return known
  latest.set(spec.input_schema, spec)
  return spec
}

/** Sessions and subagents name their tools; a trailing `*` matches any ending, `own:*` users' own tools. */
const toolLists = (scope: ToolScope): readonly (readonly string[])[] =>
  [scope.session().created?.tools, ...ancestors(scope).map(agent => agent.spec.tools)].filter(
    list => list !== undefined,
  )

/** A subagent never has tools that its parent lacks. */
const isChosen = (tool: Tool, lists: readonly (readonly string[])[]): boolean =>
  lists.every(list => list.some(entry => isMeant(entry, tool)))

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

/** Matches all of users' own tools, also later ones. */
export const OWN_TOOLS = 'own:*'

const isMeant = (entry: string, { name, type = 'function' }: Tool): boolean =>
  entry === name ||
  (entry === OWN_TOOLS && type === 'function') ||
  (entry.endsWith('*') && name.startsWith(entry.slice(0, -1)))
