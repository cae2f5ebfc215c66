/** A command's end as the model reads it and as data. */
import { readFile } from 'node:fs/promises'
import type { ToolContext, ToolStep } from '@toolwire/core'
import { cutOutput, fits, type OutputLimits } from '../bound-output.ts'
import { changedFilesNote } from '../files/ledger.ts'
import { stripAnsi } from '../strip-ansi.ts'
import { exitMeaning } from './exit-meaning.ts'
import type { CollectedOutput } from './output-sink.ts'
import type { ShellExit } from './run-shell.ts'

export interface CommandEnd {
  readonly command: string
  readonly exit: ShellExit
  readonly output: CollectedOutput
  readonly limit: number
  readonly timedOut: boolean
}

/** `note` is a last line for the model. */
export async function describeExit(
  end: CommandEnd,
  context: ToolContext,
  note: string | undefined,
): Promise<ToolStep> {
  const { exit, output, timedOut } = end
  const meaning = exit.code === undefined || exit.code === 0 ? undefined : exitMeaning(end.command, exit.code)
  const failed = exit.code !== 0 && meaning === undefined
  const image = failed ? undefined : await imageIn(output)
  const shown = image ? `[image, ${image.media_type}]` : showOutput(output, context.output)
  const lines = [
    ...(timedOut ? [`The command was stopped after ${end.limit} ms.`] : failed ? [exitLine(exit)] : []),
    ...(shown === '' ? [] : [shown]),
    ...(meaning === undefined ? [] : [`(${meaning})`]),
    ...(exit.left.length > 0 ? [`Still running: pid ${exit.left.join(', ')}`] : []),
    ...(note === undefined ? [] : [note]),
    ...(await changedFilesNote(context)),
  ]
  const text = lines.join('\n')
  const structured = toData(end, meaning)
  if (timedOut)
    return { type: 'failure', code: 'timeout', message: text, retryable: true, details: structured }
  return {
    type: 'result',
    output_text: text,
    is_error: failed,
    structured,
    keep: 'tail',
    ...(image ? { content: [{ type: 'image' as const, source: image }] } : {}),
    bounded: output.spilled !== undefined,
  }
}

const MAX_IMAGE = 5 * 1024 * 1024

/** Output that is nothing but a data address of a picture is that picture. */
async function imageIn(
  output: CollectedOutput,
): Promise<{ type: 'base64'; media_type: string; data: string } | undefined> {
  if (!output.stdout.startsWith('data:image/') || output.bytes > MAX_IMAGE) return undefined
  const text =
    output.spilled === undefined ? output.stdout : await readFile(output.spilled, 'utf8').catch(() => '')
  const found = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=\s]+)$/.exec(text)
  return found?.[1] && found[2]
    ? { type: 'base64', media_type: found[1], data: found[2].replaceAll(/\s/g, '') }
    : undefined
}

const exitLine = ({ code, signal }: ShellExit): string =>
  code === undefined ? `Killed by ${signal}` : `Exit code ${code}`

function showOutput(output: CollectedOutput, limits: OutputLimits): string {
  if (output.binary)
    return `(binary output, ${output.bytes} bytes, not shown${output.spilled ? `; all of it: ${output.spilled}` : ''})`
  const text = stripAnsi(output.text).replace(/\n+$/, '')
  // What did not fit is in a file; so is the output of a command that goes on, which may well fit.
  const whole = output.text.length === output.chars
  if (output.spilled === undefined || (whole && fits(text, limits))) return text
  return cutOutput(text, {
    ...limits,
    keep: 'tail',
    path: output.spilled,
    total: { chars: output.chars, lines: output.lines },
  })
}

function toData(
  { exit, output, timedOut, limit }: CommandEnd,
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
      : { persistedOutputPath: output.spilled, persistedOutputSize: output.bytes }),
    ...(output.binary ? { isBinary: true } : {}),
    ...(exit.left.length > 0 ? { left_running: exit.left } : {}),
  }
}
