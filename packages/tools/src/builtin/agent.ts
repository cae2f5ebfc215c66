/** Agent: another agent does a task on its own and reports. It works in the same session's log. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentSpec, SessionAgentType, Tool, ToolContext, ToolSetting, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { AGENT_TYPES, type AgentType, type AgentTypes, DEFAULT_TYPE } from '../agents/agent-type.ts'
import { reportAgent } from '../agents/report-agent.ts'
import { closeWorktree, openWorktree, type WorktreePlace, worktreeProblem } from '../agents/worktree.ts'
import { artifactPath, keepOutput } from '../bound-output.ts'
import { defineTool } from '../define-tool.ts'
import { WORKTREES } from '../disk-quota.ts'
import { fileName } from '../file-name.ts'
import type { SandboxOptions } from '../shell/sandbox.ts'

export interface AgentOptions {
  /** Replace or extend the kinds of agents; `general-purpose` is what an unnamed kind means. */
  readonly types?: AgentTypes
  /** Nesting limit of agents: 1 means that only the root agent may start agents. */
  readonly max_depth?: number
  readonly max_turns?: number
  /** Maximum number of agents per run. */
  readonly max_agents?: number
  /** Spending limit of one agent; it always shares the run's budget too. */
  readonly max_cost_usd?: number
  /** Git, which makes worktrees, runs in it where the machine has one. */
  readonly sandbox?: SandboxOptions | undefined
}

const MAX_DEPTH = 1
const MAX_TURNS = 50
const MAX_AGENTS = 30

const input = z.strictObject({
  description: z.string().max(200).optional().describe('The task in three to five words'),
  prompt: z
    .string()
    .min(1)
    .describe('The whole task, the form of the report, and whether it may change files'),
  subagent_type: z.string().optional(),
  model: z.string().optional().describe('Yours by default'),
  name: z.string().max(100).optional().meta({ unlisted: true }),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Do not wait: the report comes as a message and starts a run; do not poll'),
  isolation: z
    .enum(['worktree', 'remote'])
    .optional()
    .meta({ enum: ['worktree'] })
    .describe('worktree: a separate git worktree'),
  resume: z.string().optional().describe('Id of an earlier agent to continue with its history'),
  effort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional().meta({ unlisted: true }),
  // Accepted because models send them; they change nothing here.
  team_name: z.string().optional().meta({ unlisted: true }),
  mode: z.string().optional().meta({ unlisted: true }),
})
type AgentInput = z.output<typeof input>

interface AgentToolSettings {
  readonly types: AgentTypes
  readonly max_turns: number
  readonly max_agents: number
  readonly max_cost_usd: number | undefined
  readonly sandbox: SandboxOptions | undefined
}

export function createAgentTool(options: AgentOptions = {}): Tool<AgentInput> {
  const settings: AgentToolSettings = {
    types: { ...AGENT_TYPES, ...options.types },
    max_turns: options.max_turns ?? MAX_TURNS,
    max_agents: options.max_agents ?? MAX_AGENTS,
    max_cost_usd: options.max_cost_usd,
    sandbox: options.sandbox,
  }
  const { types } = settings
  const max_depth = options.max_depth ?? MAX_DEPTH
  const tool = defineTool({
    name: 'Agent',
    type: 'builtin',
    description: describe(settings, max_depth),
    input: input.extend({
      subagent_type: z
        .string()
        .optional()
        .meta({ enum: Object.keys(types) })
        .describe(`${DEFAULT_TYPE} by default`),
    }),
    limits: [
      { name: 'depth', value: `${max_depth} by default` },
      { name: 'turns', value: `${settings.max_turns} by default` },
      { name: 'agents of one run', value: `${settings.max_agents} by default` },
    ],
    isEnabled: ({ depth = 0 }) => depth < max_depth,
    // The agent's actions are judged call by call; the call itself creates the worktree.
    isReadOnly: given => input.parse(given).isolation === undefined,
    // It finds its worktree and its agent again.
    isIdempotent: () => true,
    access: async () => [],
    eager: false,
    async validate({ subagent_type, isolation }, context) {
      if (isolation === 'remote') return 'isolation: remote is not available here; leave it out.'
      if (subagent_type !== undefined && !findType(subagent_type, context, types))
        return `There is no agent of the type ${JSON.stringify(subagent_type)}. Known types: ${namesOf(types, context.agents_of_project).join(', ')}.`
      return isolation === undefined ? undefined : await worktreeProblem(worktreeOf(context, settings))
    },
    call: (given, context) => run(given, context, settings),
    view: ({ description, prompt, subagent_type, name }) => ({
      title: name ?? description ?? subagent_type ?? 'Agent',
      kind: 'agent',
      body: { prompt, subagent_type: subagent_type ?? DEFAULT_TYPE },
    }),
  })
  return Object.assign(tool, {
    inputSchemaFor: ({ agents }: ToolSetting) => schemaFor(tool, types, agents),
  })
}

/** A type with its name in rules and in the log. */
interface FoundType extends AgentType {
  readonly id: string
  readonly version?: AgentSpec['version']
}

/** Types of the project replace those of the server, and are others for every rule. */
function findType(
  name: string,
  { agents_of_project = [] }: Pick<ToolContext, 'agents_of_project'>,
  types: AgentTypes,
): FoundType | undefined {
  const own = agents_of_project.find(agent => agent.name === name)
  if (own) return { ...own, version: { id: own.id, version: own.version } }
  const type = Object.hasOwn(types, name) ? types[name] : undefined
  return type && { ...type, id: name }
}

const namesOf = (types: AgentTypes, agents: readonly SessionAgentType[] = []): readonly string[] => [
  ...new Set([...Object.keys(types), ...agents.map(({ name }) => name)]),
]

const schemas = new WeakMap<readonly SessionAgentType[], Tool['input_schema']>()

/** With the names of the types of the project. */
function schemaFor(
  tool: Pick<Tool, 'input_schema'>,
  types: AgentTypes,
  agents: readonly SessionAgentType[] = [],
): Tool['input_schema'] {
  if (agents.length === 0) return tool.input_schema
  const known = schemas.get(agents)
  if (known) return known
  const { properties } = tool.input_schema as { readonly properties: Readonly<Record<string, object>> }
  const subagent_type = { ...properties['subagent_type'], enum: namesOf(types, agents) }
  const made = { ...tool.input_schema, properties: { ...properties, subagent_type } }
  schemas.set(agents, made)
  return made
}

async function* run(
  given: AgentInput,
  context: ToolContext,
  settings: AgentToolSettings,
): AsyncIterable<ToolStep> {
  const { runAgent } = context
  const type = findType(given.subagent_type ?? DEFAULT_TYPE, context, settings.types)
  if (!runAgent || !type) {
    yield { type: 'failure', message: 'Agents cannot be started here.' }
    return
  }
  const spec = toSpec(given, type, settings)
  const file = await openOutputFile(given, context)
  if (given.isolation === undefined) {
    yield withOutputFile(reportAgent(await runAgent(spec), 'The agent'), file)
    return
  }
  const worktree = worktreeOf(context, settings)
  await openWorktree(worktree)
  const end = await runAgent({ ...spec, cwd: worktree.path })
  // A background or waiting agent still needs it.
  const kept = end.type === 'finished' ? await closeWorktree(worktree) : end.type !== 'refused'
  yield withOutputFile(withWorktree(reportAgent(end, 'The agent'), kept ? worktree.path : undefined), file)
}

const worktreeOf = (context: ToolContext, { sandbox }: AgentToolSettings): WorktreePlace => ({
  context,
  sandbox,
  path: join(context.artifacts, WORKTREES, fileName(context.call_id)),
})

/** The file of an agent in the background is there from its beginning; its report replaces what is in it. */
async function openOutputFile(
  { run_in_background, prompt }: AgentInput,
  context: ToolContext,
): Promise<string | undefined> {
  if (!run_in_background) return undefined
  const path = artifactPath(context)
  // A crash may have begun the call again after the agent's end.
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  return isThere ? path : await keepOutput(path, `The agent is running. Its task:\n${prompt}\n`, context.disk)
}

function withOutputFile(step: ToolStep, path: string | undefined): ToolStep {
  if (step.type !== 'result' || path === undefined) return step
  return {
    ...step,
    output_text: `${step.output_text}\nIts report will also be in ${path}`,
    structured: { ...(step.structured as object), outputFile: path },
  }
}

function toSpec(given: AgentInput, type: FoundType, settings: AgentToolSettings): AgentSpec {
  const { prompt, subagent_type = DEFAULT_TYPE, name, effort, run_in_background, resume } = given
  const model = given.model ?? type.model
  const { max_agents, max_cost_usd } = settings
  return {
    name: name ?? subagent_type,
    type: type.id,
    ...(type.version === undefined ? {} : { version: type.version }),
    prompt,
    system: type.system,
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(type.tools === undefined ? {} : { tools: type.tools }),
    // A list of tools is the whole of what the agent may use.
    client_tools: type.tools === undefined,
    max_turns: turnsOf(type, settings),
    max_agents,
    ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
    ...(run_in_background ? { background: true } : {}),
    ...(resume === undefined ? {} : { resumes: resume }),
  }
}

/** A file of a project may ask for fewer turns, not for more. */
const turnsOf = ({ max_turns, version }: FoundType, settings: AgentToolSettings): number =>
  version === undefined
    ? (max_turns ?? settings.max_turns)
    : Math.min(max_turns ?? settings.max_turns, settings.max_turns)

function withWorktree(step: ToolStep, path: string | undefined): ToolStep {
  if (step.type !== 'result' || path === undefined) return step
  const { structured } = step
  return {
    ...step,
    output_text: `${step.output_text}\n[Its worktree: ${path}]`,
    structured: { ...(structured as object), worktreePath: path },
  }
}

const describe = ({ types, max_turns, max_agents }: AgentToolSettings, max_depth: number): string =>
  [
    `Starts another agent for a task that stands alone, such as a broad search or separate work, and returns its report. It begins with nothing but your prompt, in the same workspace and with the same permissions, has ${max_turns} turns${max_depth > 1 ? '' : ', and cannot start agents'}; a run may start ${max_agents}. Not for a known file or a single search.`,
    'Agents of one message work at the same time; give each a worktree when two of them change files. The person does not see the report: check what matters and pass it on. Types:',
    ...Object.entries(types).map(([name, type]) => `- ${name}: ${type.description} Tools: ${toolsOf(type)}.`),
  ].join('\n')

const toolsOf = ({ tools }: AgentType): string => tools?.join(', ') ?? 'all of yours'
