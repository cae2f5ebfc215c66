/** `toolwire fake-model`: the Anthropic and OpenAI APIs over HTTP without a key, with faults, for tests. */
import { readFileSync } from 'node:fs'
import type { Model } from '@toolwire/core'
import { createDemoModel, loadScenario, startFakeUpstream } from '@toolwire/demo'
import type { Command } from 'commander'
import { ExitError } from '../exit.ts'
import { print } from '../terminal.ts'
import { untilSignal } from '../until-signal.ts'

export function addFakeModelCommand(program: Command): void {
  program
    .command('fake-model')
    .description('serve the Anthropic and OpenAI APIs with the demo model or a scenario, for tests')
    .option('--port <number>', 'port to listen on (0 picks a free one)', '8001')
    .option('--scenario <file>', 'answer from this scenario instead of the demo model')
    .option(
      '--fault <name>',
      'fault of every request, such as 429, reset or cut-frame; a request may name its own',
    )
    .option('--pace-ms <number>', 'pause between deltas', '0')
    .action(serveFake)
}

async function serveFake(flags: Record<string, string | undefined>): Promise<void> {
  const port = toNumber('--port', flags['port'], 65535)
  const paceMs = toNumber('--pace-ms', flags['paceMs'], 10_000)
  const fake = await startFakeUpstream({
    model: toModel(flags['scenario'], paceMs),
    port,
    fault: flags['fault'],
  }).catch(error => {
    throw new ExitError('address', `The fake API did not start: ${sentence(error)}`)
  })
  const stopped = untilSignal()
  print(`Fake model APIs on ${fake.url} · ANTHROPIC_BASE_URL=${fake.url} · OPENAI_BASE_URL=${fake.url}/v1\n`)
  await stopped
  await fake.close()
}

function toModel(scenario: string | undefined, paceMs: number): Model {
  if (scenario === undefined) return createDemoModel({ paceMs })
  try {
    return loadScenario(JSON.parse(readFileSync(scenario, 'utf8')))
  } catch (error) {
    throw new ExitError('usage', `The scenario ${scenario} cannot be used: ${sentence(error)}`)
  }
}

function toNumber(flag: string, text: string | undefined, max: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw new ExitError('usage', `${flag} must be a whole number from 0 to ${max}, but is "${text}".`)
  return value
}

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error))
