/** The prompt of a session, made once, when it is first asked something: the parts in the order in which every request sends them. */
import { createHash } from 'node:crypto'
import { release } from 'node:os'
import {
  boundaryOf,
  type EventOf,
  type PromptRequest,
  type PromptSource,
  type SessionPrompt,
  type SessionState,
} from '@toolwire/core'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import type { SandboxOptions } from '../shell/sandbox.ts'
import { buildPrompt, familyOf, type PromptPart } from './build-prompt.ts'
import { describeEnvironment } from './environment.ts'
import { readGitFacts } from './git-facts.ts'
import { findInstructionFiles, readInstructions } from './project-files.ts'
import { contextChanges, PLAN_TEXT, toFacts } from './track-changes.ts'

export interface PromptSettings {
  /** The name that the agent has; Toolwire when absent. */
  readonly name?: string
  /** The operator's words for all sessions. */
  readonly instructions?: string
  /** Folders whose instruction files are loaded. Canonical paths. */
  readonly trusted?: readonly string[]
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
  changes: contextChanges,
})

async function makePrompt(request: PromptRequest, settings: PromptSettings): Promise<SessionPrompt> {
  const { session, model, tools } = request
  const { created } = session
  const wanted = created?.context ?? { instructions: 'off', environment: 'off' }
  const project = wanted.instructions === 'auto' ? await projectPart(session, settings) : NO_PROJECT
  const own: readonly PromptPart[] =
    created?.system === undefined
      ? buildPrompt({ name: settings.name ?? 'Toolwire', family: familyOf(model), tools })
      : [{ key: 'system', text: created.system, source: 'request' }]
  const parts: readonly PromptPart[] = [
    ...own,
    { key: 'append_system', text: created?.append_system ?? '', source: 'request' },
    { key: 'operator', text: settings.instructions ?? '', source: 'configuration' },
    ...project.parts,
    ...(wanted.environment === 'auto' ? await environmentParts(request, settings) : []),
  ]
  return {
    generation: (session.context?.generation ?? 0) + 1,
    parts: parts.filter(part => part.text.trim() !== '').map(toRecorded),
    facts: toFacts(session, request.now),
    ...(project.skipped.length > 0 ? { skipped: [...project.skipped] } : {}),
    ...(project.warnings.length > 0 ? { warnings: [...project.warnings] } : {}),
  }
}

interface ProjectPart {
  readonly parts: readonly PromptPart[]
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
}

const NO_PROJECT: ProjectPart = { parts: [], skipped: [], warnings: [] }

async function projectPart(session: SessionState, { trusted = [] }: PromptSettings): Promise<ProjectPart> {
  const cwd = canonicalPath(session.created?.cwd ?? '.')
  const top = trusted.find(dir => isInside(cwd, dir))
  if (top === undefined) return { ...NO_PROJECT, skipped: findInstructionFiles(cwd) }
  const { text, files, warnings } = await readInstructions(cwd, top, boundaryOf(session))
  return { parts: [{ key: 'project', text, source: files.join(', ') }], skipped: [], warnings }
}

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
