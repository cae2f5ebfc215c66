/** Puts the tool system together: registry, permissions, scheduling. One per process. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Tool, ToolSystem } from '@toolwire/core'
import { artifactFile, keepOutput, OUTPUT_LIMITS, type OutputLimits } from './bound-output.ts'
import type { Expiry } from './calls/approval.ts'
import { createCallCleanups } from './calls/call-cleanups.ts'
import type { NoteOverlay } from './calls/call-notes.ts'
import { createEagerCalls } from './calls/eager.ts'
import { editedNotices } from './calls/edited-notices.ts'
import { createLocks } from './calls/locks.ts'
import { checkCall } from './calls/preflight.ts'
import { toReady } from './calls/ready-event.ts'
import { createSemaphore, type Semaphore } from './calls/semaphore.ts'
import { type SettleDeps, settle } from './calls/settle.ts'
import { createDiskQuota, type DiskQuota } from './disk-quota.ts'
import { dryRunRule, type RehearseRequest, type RuleDryRun } from './dry-run-rule.ts'
import { type ExplainRequest, explainCall } from './explain-call.ts'
import { entriesOf } from './files/entries-of.ts'
import { isInsideFor, realPathFor } from './files/path-within.ts'
import { canonicalPath } from './files/resolve-path.ts'
import { hasOtherNames, ignoresCase } from './files/same-file.ts'
import { type HookLists, type HooksConfig, parseHooks } from './hooks/hook-config.ts'
import type { HookConfig } from './hooks/hook-types.ts'
import { createHooks } from './hooks/hooks.ts'
import { createLifecycle } from './hooks/lifecycle.ts'
import type { PermissionExplanation } from './permissions/explain-permission.ts'
import { createPermissions, type PermissionOptions, type Permissions } from './permissions/permissions.ts'
import { programsIn } from './permissions/programs-in.ts'
import { createRegistry } from './registry.ts'
import { taskNews } from './shell/task-news.ts'

export interface ToolSystemOptions {
  /** The server's tools; a function when they come and go. */
  readonly tools: readonly Tool[] | (() => readonly Tool[])
  /** Called before every turn, so that `tools` can be up to date. Must not throw. */
  readonly refresh?: () => Promise<void>
  readonly permissions?: PermissionOptions
  /** Folder for output that is too large for a message; a temporary one when absent. */
  readonly artifacts?: string
  /** Bounds what calls store; the default limits apply when absent. Its folder is `artifacts`. */
  readonly disk?: DiskQuota
  /** Directories beside a session's workspace that need no question. */
  readonly roots?: readonly string[]
  /** Directories of the server itself: though inside of a workspace, they are asked about. */
  readonly hidden?: readonly string[]
  /** Calls of one session that may run at the same time. */
  readonly max_parallel?: number
  /** Text per result: 4,000 to 128,000 characters. */
  readonly output?: Partial<OutputLimits>
  /** Time to answer for users and pages; unlimited if absent. */
  readonly expiry?: Expiry
  /** Time that a stopped tool has to report its output; 5 s if absent. */
  readonly abort_grace_ms?: number
  /** Run before and after calls; see docs/hooks.md. */
  readonly hooks?: HooksConfig
}

const MAX_PARALLEL = 10

/** The tool system with what the product asks of it beside the loop. */
export interface ServedTools extends ToolSystem {
  /** Explains the decision on a call. Runs nothing. Hooks are not called. */
  readonly explain: (request: ExplainRequest) => Promise<PermissionExplanation>
  /** The effect that a rule would have had on past calls. Runs nothing. */
  readonly rehearse: (request: RehearseRequest) => Promise<RuleDryRun>
  /** The rules that count in a session, and taking them back. */
  readonly permissions: Pick<Permissions, 'list' | 'revoke' | 'set'>
}

export function createToolSystem(options: ToolSystemOptions): ServedTools {
  const { tools } = options
  const registry = createRegistry(typeof tools === 'function' ? tools : () => tools)
  const lists = options.hooks && parseHooks(options.hooks)
  const lifecycle = lists && createLifecycle(lists)
  const permissions = createPermissions(withHookPrograms(options, lists), {
    isInside: (path, roots, within) => isInsideFor(path, { roots, within, hidden: options.hidden }),
    realPath: realPathFor,
    entries: entriesOf,
    ignoresCase,
    hasOtherNames,
  })
  const overlay: NoteOverlay = new Map()
  const kept = createCallCleanups()
  const output = toLimits(options.output)
  // Found once: a link that takes its place later leads nothing elsewhere.
  const artifacts = canonicalPath(options.artifacts ?? join(tmpdir(), 'toolwire-artifacts'))
  const disk = options.disk ?? createDiskQuota({ artifacts })
  const deps: SettleDeps = {
    registry,
    contexts: {
      overlay,
      output,
      artifacts,
      disk,
      roots: options.roots ?? [],
      hidden: options.hidden ?? [],
      kept,
    },
    locks: createLocks(),
    gate: gates(options.max_parallel ?? MAX_PARALLEL),
    limits: output,
    abort_grace_ms: options.abort_grace_ms,
    expiry: options.expiry ?? {},
    hooks: lists && createHooks(lists),
    lifecycle,
    judge: permissions.judge,
    remember: permissions.remember,
    takeEager: (call, scope) => eager.take(call, scope),
  }
  const eager = createEagerCalls(deps)

  return {
    ...(options.refresh === undefined ? {} : { refresh: options.refresh }),
    ...(lifecycle ? { hooks: lifecycle } : {}),
    news: scope => [...taskNews(scope.agent().notes ?? {}), ...editedNotices(scope.agent())],
    specs: registry.specs,
    describe: (name, scope) => describe(registry.find(name, scope)),
    async ready(call, scope, voice) {
      eager.forgetOthers(scope)
      const checked = checkCall(call, scope, registry)
      if (checked.type === 'failed') return []
      return [toReady(call, checked, voice)]
    },
    settle: (calls, scope, voice) => settle(calls, scope, voice, deps),
    startEager: eager.start,
    eagerDecided: eager.decided,
    async keepReport(session_id, call_id, text) {
      const share = disk.share(session_id)
      await share.ready()
      return await keepOutput(artifactFile(artifacts, session_id, call_id), text, share)
    },
    sweep: kept.sweep,
    explain: request => explainCall(request, { registry, contexts: deps.contexts, permissions }),
    rehearse: request => dryRunRule(request, { registry, contexts: deps.contexts, permissions }),
    permissions: { list: permissions.list, revoke: permissions.revoke, set: permissions.set },
  }
}

/** The files of hooks are among those that the configuration runs. */
function withHookPrograms(
  { permissions = {} }: ToolSystemOptions,
  lists: HookLists | undefined,
): PermissionOptions {
  const words = Object.values(lists ?? {})
    .flat()
    .flatMap(programsOf)
  return { ...permissions, programs: [...(permissions.programs ?? []), ...words] }
}

function programsOf(hook: HookConfig): readonly string[] {
  if ('url' in hook) return []
  return 'command' in hook
    ? programsIn([hook.command, ...(hook.args ?? [])].join(' '))
    : [toPath(hook.module)]
}

const toPath = (module: string): string => (module.startsWith('file:') ? fileURLToPath(module) : module)

function describe(
  found: ReturnType<ReturnType<typeof createRegistry>['find']>,
): ReturnType<ToolSystem['describe']> {
  if (found.type === 'client')
    return { tool_type: found.tool?.type ?? 'function', executor: 'client', ...titleOf(found.tool) }
  if (found.type === 'missing') return { tool_type: 'function', executor: 'server' }
  const { type = 'function', server } = found.tool
  return {
    tool_type: type,
    executor: 'server',
    ...titleOf(found.tool),
    ...(server === undefined ? {} : { server }),
  }
}

const titleOf = (tool: Tool | undefined): { readonly title?: string } =>
  tool?.title === undefined ? {} : { title: tool.title }

function toLimits({
  chars = OUTPUT_LIMITS.chars,
  lines = OUTPUT_LIMITS.lines,
}: Partial<OutputLimits> = {}): OutputLimits {
  return { chars: Math.min(128_000, Math.max(4_000, chars)), lines: Math.max(10, lines) }
}

/** One semaphore per session, dropped when unused. */
function gates(max: number): (session_id: string) => Semaphore {
  const known = new Map<string, WeakRef<Semaphore>>()
  return session_id => {
    const gate = known.get(session_id)?.deref() ?? createSemaphore(max)
    if (!known.has(session_id) && known.size > 1000)
      for (const [id, ref] of known) if (!ref.deref()) known.delete(id)
    known.set(session_id, new WeakRef(gate))
    return gate
  }
}
