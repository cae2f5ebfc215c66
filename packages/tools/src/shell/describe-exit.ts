/** A command's end as the model reads it and as data. */
import type { ToolContext, ToolStep } from '@toolwire/core'
import { cutOutput, fits, type OutputLimits } from '../bound-output.ts'
import { fitImage } from '../files/fit-image.ts'
import { changedFilesNote } from '../files/ledger.ts'
import { readWhole } from '../safe-files/open-file.ts'
import { stripAnsi } from '../strip-ansi.ts'
import { exitMeaning, isSilent } from './exit-meaning.ts'
import { gitOperation } from './git-operation.ts'
import type { CollectedOutput } from './output-sink.ts'
import type { ShellExit } from './run-shell.ts'
import { denialIn } from './sandbox.ts'

export interface CommandEnd {
  readonly command: string
  readonly exit: ShellExit
  readonly output: CollectedOutput
  readonly limit: number
  readonly timedOut: boolean
  /** It was stopped because its output was too long. */
  readonly flooded: boolean
  readonly sandboxed: boolean
}

/** `notes` are last lines for the model. */
export async function describeExit(
  end: CommandEnd,
  context: ToolContext,
  notes: readonly string[],
): Promise<ToolStep> {
  const { exit, output } = end
  const meaning = exit.code === undefined || exit.code === 0 ? undefined : exitMeaning(end.command, exit.code)
  const failed = exit.code !== 0 && meaning === undefined
  const image = failed ? undefined : await imageIn(output)
  const denied = failed && end.sandboxed ? denialIn(output.text) : undefined
  const shown = image?.text ?? showOutput(output, context.output)
  const lines = [
    ...headOf(end, failed),
    ...(shown === '' ? [] : [shown]),
    ...(meaning === undefined ? [] : [`(${meaning})`]),
    ...(exit.left.length > 0 ? [`Still running: pid ${exit.left.join(', ')}`] : []),
    ...(denied === undefined ? [] : [`(The command ran in a sandbox, where ${denied}.)`]),
    ...notes,
    ...(await changedFilesNote(context)),
  ]
  const text = lines.join('\n')
  const structured = {
    ...toData(end, meaning),
    ...(failed ? {} : factsOf(end, image?.source !== undefined)),
    ...(denied === undefined ? {} : { sandbox_denied: denied }),
  }
  const stopped = stopOf(end)
  if (stopped) return { type: 'failure', ...stopped, message: text, details: structured }
  return {
    type: 'result',
    output_text: text,
    is_error: failed,
    ...codeOf(exit, failed, denied),
    structured,
    keep: 'tail',
    ...(image?.source ? { content: [{ type: 'image' as const, source: image.source }] } : {}),
    bounded: output.spilled !== undefined,
  }
}

/** Facts of a successful line for users. */
function factsOf({ command, output }: CommandEnd, isImage: boolean): Readonly<Record<string, unknown>> {
  const operation = gitOperation(command, output.text)
  return {
    ...(output.bytes === 0 && isSilent(command) ? { noOutputExpected: true } : {}),
    ...(isImage ? { isImage } : {}),
    ...(operation ? { gitOperation: operation } : {}),
  }
}

const MAX_DATA_URI = 24 * 1024 * 1024

interface ImageOutput {
  readonly text: string
  readonly source?: { readonly type: 'base64'; readonly media_type: string; readonly data: string }
}

/** Output that is a single data address of an image becomes that image, if models accept it. */
async function imageIn(output: CollectedOutput): Promise<ImageOutput | undefined> {
  if (!output.stdout.startsWith('data:image/') || output.bytes > MAX_DATA_URI) return undefined
  const text =
    output.spilled === undefined
      ? output.stdout
      : (await readWhole(output.spilled, MAX_DATA_URI).catch(() => '')).toString()
  const found = /^data:image\/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/=\s]+)$/.exec(text)
  if (!found?.[1]) return undefined
  const fit = await fitImage(Buffer.from(found[1], 'base64'))
  if (!fit.ok) return { text: `[The output is an image, but it ${fit.reason}]` }
  const { media_type, width, height, data } = fit.image
  return {
    text: `[image, ${media_type}, ${width}x${height}]`,
    source: { type: 'base64', media_type, data: Buffer.from(data).toString('base64') },
  }
}

/** The reason that the call fails regardless of the command's exit code. */
function stopOf({ timedOut, flooded, output }: CommandEnd) {
  if (timedOut) return { code: 'timeout', retryable: true }
  if (flooded) return { code: 'output_limit' }
  return isLost(output) ? { code: 'disk_full' } : undefined
}

/** Neither the text nor the file has all of it. */
const isLost = ({ isBroken, whole }: CollectedOutput): boolean => isBroken && !whole

function headOf({ timedOut, flooded, limit, exit, output }: CommandEnd, failed: boolean): readonly string[] {
  if (flooded) return [`The command was stopped: it wrote ${output.bytes} bytes, more than a call may.`]
  if (isLost(output)) return [`${exitLine(exit)}. The disk is full: the whole output could not be stored.`]
  if (timedOut) return [`The command was stopped after ${limit} ms.`]
  return failed ? [exitLine(exit)] : []
}

const exitLine = ({ code, signal }: ShellExit): string =>
  code === undefined ? `Killed by ${signal}` : `Exit code ${code}`

function codeOf(
  { code }: ShellExit,
  failed: boolean,
  denied: string | undefined,
): { readonly code?: string } {
  if (!failed) return {}
  if (denied !== undefined) return { code: 'sandbox_denied' }
  return { code: code === undefined ? 'killed' : `exit_${code}` }
}

function showOutput(output: CollectedOutput, limits: OutputLimits): string {
  if (output.binary)
    return `(binary output, ${output.bytes} bytes, not shown${output.spilled ? `; all of it: ${output.spilled}` : ''})`
  const text = withoutLastBreaks(stripAnsi(output.text))
  // Output that did not fit is in a file; so is the output of a command that continues, which may well fit.
  if (output.spilled === undefined || (output.whole && fits(text, limits))) return text
  return cutOutput(text, {
    ...limits,
    keep: 'tail',
    path: output.isBroken ? undefined : output.spilled,
    stored: output.stored < output.bytes ? output.stored : undefined,
    total: { chars: output.chars, lines: output.lines },
  })
}

function withoutLastBreaks(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}

function toData(
  { exit, output, timedOut, limit, sandboxed }: CommandEnd,
  meaning: string | undefined,
): Readonly<Record<string, unknown>> {
  return {
    stdout: output.binary ? '' : output.stdout,
    stderr: output.binary ? '' : output.stderr,
    exit_code: exit.code ?? null,
    interrupted: exit.signal !== undefined,
    ...(exit.signal === undefined ? {} : { signal: exit.signal }),
    ...(timedOut ? { timedOutAfterMs: limit } : {}),
    ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
    ...(output.spilled === undefined
      ? {}
      : { persistedOutputPath: output.spilled, persistedOutputSize: output.stored }),
    ...(output.binary ? { isBinary: true } : {}),
    ...(sandboxed ? { sandboxed } : {}),
    ...(exit.left.length > 0 ? { left_running: exit.left } : {}),
  }
}
