/** `toolwire doctor`: says what works, what is missing, and what to do about it. */
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { readConfigFile } from '../config-file.ts'
import { isTrusted } from '../config-trust.ts'
import { askProviders } from '../doctor/ask-providers.ts'
import type { Finding } from '../doctor/finding.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { ExitError } from '../exit.ts'
import { print, toJson } from '../terminal.ts'
import { WEB_ROOT } from '../web-root.ts'

const MARK = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('look whether everything is in place, and say what to do')
    .option('--data <folder>', 'where sessions are kept')
    .option('--database <url>', 'PostgreSQL database that holds them')
    .option('--port <number>', 'port to listen on')
    .option('--host <address>', 'address to listen on')
    .option('--engine <name>', 'native or claude-agent-sdk')
    .option('--config <file>', 'configuration file')
    .option('--online', 'ask the providers of models whether they take their keys')
    .option('--json', 'print the findings as JSON')
    .action(async (flags: Record<string, unknown>) => {
      const { json, online, ...settings } = flags
      const sources = { flags: settings, env: process.env, cwd: process.cwd() }
      const file = readConfigFile(sources)
      const config = withoutStrangers(readConfig(sources, file), isTrusted(file, sources))
      const local = await runChecks({ config, env: process.env, webRoot: WEB_ROOT })
      const findings = online === true ? [...local, ...(await askProviders(config, process.env))] : local
      print(json === true ? `${toJson(findings, 2)}\n` : findings.map(toLine).join(''))
      const wrong = findings.filter(finding => finding.state === 'bad').length
      if (wrong > 0)
        throw new ExitError('unfit', `${wrong} of ${findings.length} checks say that a start would fail.`)
    })
}

/** Providers of a file that the user has not allowed get no key: its addresses are not asked. */
const withoutStrangers = (config: Config, isAllowed: boolean): Config =>
  isAllowed ? config : { ...config, providers: {} }

const toLine = ({ state, what, mend }: Finding): string =>
  `${MARK[state]} ${what}${mend === undefined ? '' : `: ${mend}`}\n`
