/** The prompt of a session, made once, when it is first asked something: the parts in the order in which every request sends them. */
import { createHash } from 'node:crypto'
import { release } from 'node:os'
import {
  boundaryOf,
  type EventOf,
  type PromptRequest,
  type PromptSource,
  type SessionPrompt,
} from '@toolwire/core'
import { canonicalPath } from '../files/resolve-path.ts'
import type { SandboxOptions } from '../shell/sandbox.ts'
import { AGENT_TOOL, type AgentsPart, NO_AGENTS, readAgents } from './agents-part.ts'
import { buildPrompt, familyOf, type PromptPart } from './build-prompt.ts'
import { describeEnvironment } from './environment.ts'
import { readGitFacts } from './git-facts.ts'
import { createInstructionGuard, type InstructionRules } from './instruction-guard.ts'
import { NO_PROJECT, type OwnerPrompt, type ProjectPart, readProject } from './project-part.ts'
import { skillIn } from './skill-in.ts'
import { NO_SKILLS, readSkills, SKILL_TOOL, type SkillsPart } from './skills-part.ts'
import { type CurrentProject, contextChanges, PLAN_TEXT, toFacts } from './track-changes.ts'

export interface PromptSettings extends InstructionRules {
  /** The name that the agent has; Toolwire when absent. */
  readonly name?: string
  /** The operator's words for all sessions. */
  readonly instructions?: string
  /** Folders that hold skills for all sessions. */
  readonly skills?: readonly string[]
  /** Folders whose instruction files and skills are loaded. Canonical paths. */
  readonly trusted?: readonly string[]
  /** The words and the trusted folders of the owner of a session. */
  readonly ownerOf?: (session_id: string) => Promise<OwnerPrompt>
  /** The sandbox of commands, in which git looks at the workspace too. */
  readonly sandbox?: SandboxOptions | undefined
  /** One line about the sandbox, for the environment. */
  readonly describeSandbox?: () => Promise<string | undefined>
  /** A folder for what commands need; nothing is left in it. */
  readonly artifacts: string
}

/** The prompt of sessions by these settings. */
export const createPromptSource = (settings: PromptSettings): PromptSource => ({
  make: request => makePrompt(request, settings),
  changes: async request =>
    contextChanges(request.session, request.now, {
      project: await currentProject(request, settings),
      skills: await currentSkills(request, settings),
    }),
  skillIn,
})

async function makePrompt(request: PromptRequest, settings: PromptSettings): Promise<SessionPrompt> {
  const { session, model, tools } = request
  const { created } = session
  const wanted = created?.context ?? { instructions: 'off', environment: 'off' }
  const owner = await ownerOf(settings, request.session_id)
  const project =
    wanted.instructions === 'auto'
      ? await readProject(session, trustOf(request, settings, owner))
      : NO_PROJECT
  const skills = tools.includes(SKILL_TOOL)
    ? await readSkills(session, { ...trustOf(request, settings, owner), ...windowOf(settings, model) })
    : NO_SKILLS
  const agents =
    wanted.instructions === 'auto' && tools.includes(AGENT_TOOL)
      ? await readAgents(session, trustOf(request, settings, owner))
      : NO_AGENTS
  const offered = skills.text === '' ? tools.filter(name => name !== SKILL_TOOL) : tools
  const own: readonly PromptPart[] =
    created?.system === undefined
      ? buildPrompt({ name: settings.name ?? 'Toolwire', family: familyOf(model), tools: offered })
      : [{ key: 'system', text: created.system, source: 'request' }]
  const parts: readonly PromptPart[] = [
    ...own,
    { key: 'append_system', text: created?.append_system ?? '', source: 'request' },
    { key: 'operator', text: settings.instructions ?? '', source: 'configuration' },
    { key: 'owner', text: owner.instructions ?? '', source: 'owner' },
    { key: 'project', text: project.text, source: project.files.join(', ') },
    { key: 'skills', text: skills.text, source: 'files' },
    { key: 'agents', text: agents.text, source: 'files' },
    ...(wanted.environment === 'auto' ? await environmentParts(request, settings) : []),
  ]
  return {
    generation: (session.context?.generation ?? 0) + 1,
    parts: parts.filter(part => part.text.trim() !== '').map(toRecorded),
    ...fromFiles(project, skills, agents),
    facts: {
      ...toFacts(session, request.now),
      project: project.sha256,
      ...(skills === NO_SKILLS ? {} : { skills: skills.sha256 }),
    },
  }
}

/** Without empty lists. */
function fromFiles(
  project: ProjectPart,
  skills: SkillsPart,
  agents: AgentsPart,
): Pick<SessionPrompt, 'skipped' | 'warnings' | 'skills' | 'agents'> {
  const skipped = [...project.skipped, ...skills.skipped, ...agents.skipped]
  const warnings = [...project.warnings, ...skills.warnings, ...agents.warnings].slice(0, MAX_WARNINGS)
  return {
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(skills.skills.length > 0 ? { skills: [...skills.skills] } : {}),
    ...(agents.agents.length > 0 ? { agents: [...agents.agents] } : {}),
  }
}

/** Warnings that are recorded; a folder may hold hundreds of broken files. */
const MAX_WARNINGS = 100

const windowOf = ({ skills = [] }: PromptSettings, model: PromptRequest['model']) => ({
  folders: skills,
  window: model.context,
})

/** Undefined for a session whose prompt has no list of skills to compare with. */
async function currentSkills(
  request: Pick<PromptRequest, 'session_id' | 'session' | 'model'>,
  settings: PromptSettings,
): Promise<SkillsPart | undefined> {
  const { session_id, session, model } = request
  if (session.context?.facts['skills'] === undefined) return undefined
  const owner = await ownerOf(settings, session_id)
  return await readSkills(session, { ...trustOf(request, settings, owner), ...windowOf(settings, model) })
}

/** Nothing where the owner's record cannot be read. */
const ownerOf = async (settings: PromptSettings, session_id: string): Promise<OwnerPrompt> =>
  (await settings.ownerOf?.(session_id).catch(() => undefined)) ?? {}

/** Undefined for a session whose prompt has no instruction files to compare with. */
async function currentProject(
  request: Pick<PromptRequest, 'session_id' | 'session'>,
  settings: PromptSettings,
): Promise<CurrentProject | undefined> {
  const { session_id, session } = request
  const isTracked = session.context?.facts['project'] !== undefined
  if (session.created?.context?.instructions !== 'auto' || !isTracked) return undefined
  const owner = await ownerOf(settings, session_id)
  return await readProject(session, trustOf(request, settings, owner))
}

const trustOf = (
  request: Pick<PromptRequest, 'session_id' | 'session'>,
  settings: PromptSettings,
  owner: OwnerPrompt,
): Parameters<typeof readProject>[1] => ({
  trusted: settings.trusted ?? [],
  owner,
  mayLoad: createInstructionGuard(request, settings),
})

async function environmentParts(
  { session, model, now, signal }: PromptRequest,
  settings: PromptSettings,
): Promise<readonly PromptPart[]> {
  const cwd = session.created?.cwd ?? '.'
  const roots = [canonicalPath(cwd)]
  const options = {
    context: { cwd, roots, artifacts: settings.artifacts, signal },
    sandbox: settings.sandbox,
  }
  const text = describeEnvironment({
    model: model.id,
    cwd,
    roots,
    platform: `${process.platform} ${release()}`,
    shell: 'bash',
    git: await readGitFacts(options),
    date: toFacts(session, now).date,
    permission_mode: session.permission_mode,
    sandbox: await settings.describeSandbox?.().catch(() => undefined),
    boundary: boundaryOf(session),
  })
  const plan = session.permission_mode === 'plan' ? [PLAN_TEXT] : []
  return [{ key: 'environment', text: [text, ...plan].join('\n\n'), source: 'toolwire' }]
}

const toRecorded = ({ key, text, source, rules }: PromptPart): EventOf<'context.set'>['parts'][number] => ({
  key,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
  source,
  ...(rules === undefined ? {} : { rules: [...rules] }),
})
