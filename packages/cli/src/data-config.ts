/** The configuration of commands that work on stored data. */
import { terminalAsk } from './ask-user.ts'
import { type Config, readConfig } from './config.ts'
import { readConfigFile } from './config-file.ts'
import { requireTrust } from './config-trust.ts'

/** Settings that choose the data and the workspace of such a command. */
const PLACES = ['data', 'database', 'workspace']

/** A found file that chooses other data needs the user's consent. Throws ExitError (usage) without it. */
export async function readDataConfig(flags: Readonly<Record<string, unknown>>): Promise<Config> {
  const sources = { flags, env: process.env, cwd: process.cwd() }
  const file = readConfigFile(sources)
  const isChosenByFile = PLACES.some(name => flags[name] === undefined && file.values[name] !== undefined)
  if (isChosenByFile) await requireTrust(file, { ...sources, ask: terminalAsk() })
  return readConfig(sources, file)
}
