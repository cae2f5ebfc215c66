/**
 * Diagnostics of a checker for a changed file: a configured command, by file name. It informs and never decides:
 * the change is kept whatever it reports, and a checker that fails or takes too long is only reported.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ToolContext, ToolStep } from '@toolwire/core'
import { globMatcher } from '../globs/glob-matcher.ts'
import { commandEnvironment } from '../shell/environment.ts'
import { startShell } from '../shell/run-shell.ts'
import { stripAnsi } from '../strip-ansi.ts'
import { adoptChange } from './adopt-change.ts'

export interface DiagnosticsRule {
  /** Matching files, such as `*.ts`; a pattern without a slash matches at any depth. */
  readonly glob: string
  /** A command line; `$FILE` is the path. It runs in the workspace. */
  readonly command: string
}

/** Lines about a file, at most twenty; none when there is nothing to say. Never throws. */
export type Diagnostics = (path: string, context: ToolContext) => Promise<readonly string[]>

const MAX_LINES = 20
const MAX_LINE = 500
const TIMEOUT_MS = 15_000

/** The first rule that fits a file is asked. */
export function createDiagnostics(
  rules: readonly DiagnosticsRule[],
  { timeout_ms = TIMEOUT_MS }: { readonly timeout_ms?: number } = {},
): Diagnostics {
  const all = rules.map(({ glob, command }) => ({
    fits: globMatcher(glob.includes('/') ? glob : `**/${glob}`),
    command,
  }))
  return async (path, context) => {
    const rule = all.find(({ fits }) => fits(path.replace(/^\//, '')))
    if (!rule) return []
    try {
      return bounded(await ask(rule.command, path, { context, timeout_ms }))
    } catch (error) {
      return [`(The checker could not be run: ${error instanceof Error ? error.message : String(error)})`]
    }
  }
}

async function ask(
  command: string,
  path: string,
  { context, timeout_ms }: { readonly context: ToolContext; readonly timeout_ms: number },
): Promise<string> {
  const id = randomUUID()
  const shell = await startShell({
    command,
    cwd: context.roots[0] ?? context.cwd,
    env: { ...commandEnvironment(process.env), FILE: path },
    artifact: join(context.artifacts, `diagnostics-${id}.log`),
    token: id,
    disk: context.disk,
    inline: 16_000,
    reap: true,
  })
  const waiting = new AbortController()
  const over = await Promise.race([
    shell.exit.then(() => 'exited' as const),
    shell.sink.flooded.then(() => 'flooded' as const),
    delay(timeout_ms, 'timeout' as const, {
      signal: AbortSignal.any([context.signal, waiting.signal]),
    }).catch(() => 'aborted' as const),
  ])
  waiting.abort()
  if (over !== 'exited') await shell.kill()
  await shell.exit
  await shell.sink.close()
  const { text } = shell.sink.collected()
  return over === 'timeout' ? `${text}\n(The checker was stopped after ${timeout_ms} ms.)` : text
}

function bounded(text: string): readonly string[] {
  const lines = stripAnsi(text)
    .split('\n')
    .map(line => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line))
    .filter(line => line.trim() !== '')
  if (lines.length <= MAX_LINES) return lines
  return [...lines.slice(0, MAX_LINES - 1), `… ${lines.length - MAX_LINES + 1} more lines`]
}

/** Adds what the checker says to a change that took place, and what it changed itself; any other step stays as it is. */
export async function withDiagnostics(
  step: ToolStep,
  diagnostics: Diagnostics | undefined,
  path: string,
  context: ToolContext,
): Promise<ToolStep> {
  if (step.type !== 'result' || !diagnostics) return step
  const said = await diagnostics(path, context)
  const adopted = await adoptChange(context)
  const told = adopted === undefined ? step : { ...step, output_text: `${step.output_text}\n${adopted}` }
  if (said.length === 0) return told
  const output_text = `${told.output_text}\nDiagnostics:\n${said.join('\n')}`
  return { ...told, output_text, structured: { ...(step.structured as object), diagnostics: said } }
}
