/** The tools of the product: those it brings, those of MCP servers, and the rules and hooks around them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Tool } from '@toolwire/core'
import { MCP_TOOL_NAMES } from '@toolwire/mcp'
import type { PermissionPort, ServerPorts } from '@toolwire/server'
import {
  type AgentOptions,
  type AgentTypes,
  artifactFile,
  type BuiltinOptions,
  createBuiltinTools,
  createDiskQuota,
  createFileBrowser,
  createOwnTools,
  createProjectRules,
  createToolSystem,
  type DiskLimits,
  type DiskQuota,
  isInsideRoots,
  OWN_TOOLS,
  type OwnTools,
  openFile,
  programsIn,
  type ServedTools,
  type ToolSystemOptions,
} from '@toolwire/tools'
import type { Blueprint } from './blueprint.ts'
import { composeMachine, type ProductMachine } from './compose-machine.ts'
import type { ProductMcp } from './compose-mcp.ts'
import { inspectInstructions } from './compose-prompt.ts'
import type { Config } from './config.ts'
import { textsIn } from './config-trust.ts'
import { ExitError } from './exit.ts'

export interface ProductTools {
  /** Evaluated every time: tools of MCP servers change. */
  readonly list: () => readonly Tool[]
  readonly system: ServedTools
  readonly mcp: ProductMcp
  readonly own: OwnTools
  readonly machine: ProductMachine
  readonly disk: DiskQuota
  /** Ends the processes of MCP servers. */
  readonly close: () => Promise<void>
}

type ToolParts = Pick<
  Blueprint,
  'config' | 'env' | 'machineEnv' | 'own' | 'builtin' | 'report' | 'publicUrl' | 'webRoot'
>

/** Makes no tool where none is wanted. */
function chosenTools(names: Blueprint['builtin'], options: BuiltinOptions): readonly Tool[] {
  if (names.length === 0) return []
  const all = createBuiltinTools(options)
  return names === 'all' ? all : all.filter(tool => names.includes(tool.name))
}

/** Throws ExitError for settings that cannot work. MCP servers are started in the background. */
export async function composeTools(blueprint: ToolParts, artifacts: string): Promise<ProductTools> {
  const { config, env, machineEnv, report } = blueprint
  const machine = composeMachine(config, machineEnv)
  const builtin = chosenTools(blueprint.builtin, {
    ...machine.options,
    agent: agentOptions(config),
    ...(config.architect ? { architect: {} } : {}),
    web_search: {
      tavily: env.TAVILY_API_KEY ? { api_key: env.TAVILY_API_KEY, base_url: env.TAVILY_BASE_URL } : undefined,
      searxng: env.SEARXNG_URL ? { url: env.SEARXNG_URL } : undefined,
      aliases: ['tavily_search'],
    },
  })
  const mcp = await openMcp(blueprint)
  const others = (): readonly Tool[] => [...builtin, ...blueprint.own().tools, ...mcp.tools()]
  const own = createOwnTools({
    paths: config.tools,
    taken: () => new Set(others().map(tool => tool.name)),
    onProblem: report,
  })
  const list = (): readonly Tool[] => [...others(), ...own.tools()]
  const disk = createDiskQuota({ artifacts, limits: diskLimits(config), ownerOf: machine.tenantOf })
  const system = createSystem(config, { list, own, artifacts, disk })
  const close = async (): Promise<void> => {
    machine.close()
    await mcp.close()
  }
  return { list, system, mcp, own, machine, disk, close }
}

/**
 * The client of MCP is large: it is loaded for those who have servers, and for those whose earlier start may have
 * left some running.
 */
async function openMcp(blueprint: ToolParts): Promise<ProductMcp> {
  const { config } = blueprint
  const isUsed = Object.keys(config.mcpServers ?? {}).length > 0 || existsSync(join(config.data, 'mcp'))
  if (!isUsed) return NO_MCP
  const { composeMcp } = await import('./compose-mcp.ts')
  return composeMcp(blueprint)
}

const NO_MCP: ProductMcp = {
  tools: () => [],
  status: () => [],
  subscribe: () => () => {},
  finishSignIn: async () => undefined,
  signOut: async () => false,
  pages: {
    read: async () => undefined,
    server: () => undefined,
    callable: () => undefined,
    resource: async () => undefined,
  },
  close: async () => {},
  listensAt() {},
}

/** Serves the tools' routes, beside running them. */
export function serveTools({ own, system, machine }: ProductTools, artifacts: string) {
  const permissions: PermissionPort = {
    ...system.permissions,
    rehearse: async request => ({ ...(await system.rehearse(request)) }),
  }
  return {
    ...machine.ports,
    refreshTools: own.refresh,
    toolProblems: own.problems,
    permissions,
    isInsideRoots,
    openFile,
    artifactFile: (session: string, call: string) => artifactFile(artifacts, session, call),
    canTry: true,
    inspectInstructions,
  }
}

/** Names of all tools, for sessions. The last two match tools that come later. */
export const toolNames = ({ list }: ProductTools): readonly string[] => [
  ...list().map(tool => tool.name),
  ...MCP_TOOL_NAMES,
  OWN_TOOLS,
]

/** The files of workspaces as Read would show them. */
export function serveFiles({ system }: ProductTools): NonNullable<ServerPorts['files']> {
  const browser = createFileBrowser(system.explain)
  return { list: async (request, after) => ({ ...(await browser.list(request, after)) }), find: browser.find }
}

function agentOptions({ agents }: Config): AgentOptions {
  const { maxDepth, maxTurns, maxAgents, maxCostUsd, types } = agents
  return {
    ...(maxDepth === undefined ? {} : { max_depth: maxDepth }),
    ...(maxTurns === undefined ? {} : { max_turns: maxTurns }),
    ...(maxAgents === undefined ? {} : { max_agents: maxAgents }),
    ...(maxCostUsd === undefined ? {} : { max_cost_usd: maxCostUsd }),
    ...(types === undefined ? {} : { types: types as AgentTypes }),
  }
}

function callLimits({ calls }: Config): Pick<ToolSystemOptions, 'max_parallel' | 'output'> {
  const { parallel, outputChars, outputLines } = calls
  return {
    ...(parallel === undefined ? {} : { max_parallel: parallel }),
    output: {
      ...(outputChars === undefined ? {} : { chars: outputChars }),
      ...(outputLines === undefined ? {} : { lines: outputLines }),
    },
  }
}

function diskLimits({ storage }: Config): Partial<DiskLimits> {
  const { callBytes, sessionBytes, ownerBytes } = storage
  return {
    ...(callBytes === undefined ? {} : { call: callBytes }),
    ...(sessionBytes === undefined ? {} : { session: sessionBytes }),
    ...(ownerBytes === undefined ? {} : { owner: ownerBytes }),
  }
}

interface SystemParts {
  readonly list: () => readonly Tool[]
  readonly own: OwnTools
  readonly artifacts: string
  readonly disk: DiskQuota
}

/** Words of the settings that name files which run in this server or beside it; those of hooks are known there. */
function programsOf({ tools, modelsModule, mcpServers, diagnostics }: Config): readonly string[] {
  const servers = Object.values(mcpServers ?? {}).map(server => textsIn(server).join(' '))
  const words = [...servers, ...textsIn(diagnostics)].flatMap(programsIn)
  return [...tools, ...(modelsModule === undefined ? [] : [modelsModule]), ...words]
}

function createSystem(config: Config, { list, own, artifacts, disk }: SystemParts): ServedTools {
  try {
    return createToolSystem({
      tools: list,
      refresh: own.refresh,
      artifacts,
      disk,
      // It holds every owner's sessions, sign-in tokens and rules, and may be inside of a workspace.
      hidden: [config.data],
      permissions: {
        rules: config.permissions,
        source: 'configuration',
        project: createProjectRules(join(config.data, 'trusted-rules.json')),
        programs: programsOf(config),
      },
      hooks: config.hooks,
      ...callLimits(config),
      expiry: { approval_ms: config.approvalTimeoutMs, client_ms: config.clientToolTimeoutMs },
    })
  } catch (error) {
    // A rule or a hook of the configuration file; the message names it.
    throw new ExitError('usage', error instanceof Error ? error.message : String(error))
  }
}
