/** `toolwire [start]`: runs the server until it is stopped. */
import { EFFORTS } from '@toolwire/core'
import { type Command, Option } from 'commander'
import { terminalAsk } from '../ask-user.ts'
import { compose } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import { readConfigFile } from '../config-file.ts'
import { requireTrust } from '../config-trust.ts'
import { hideEnvironment } from '../hide-environment.ts'
import { describeData } from '../open-data.ts'
import { print } from '../terminal.ts'
import { untilSignal } from '../until-signal.ts'
import { VERSION } from '../version.ts'

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('start the server (default)')
    .option('--port <number>', 'port to listen on (default 8000; 0 picks a free one)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1; another one needs API keys)')
    .option('--data <folder>', 'where sessions are kept (default .toolwire)')
    .option('--database <url>', 'PostgreSQL database for sessions, shared by several servers')
    .option('--workspace <folder>', 'where tools work (default a copy of the sample project)')
    .option('--model <id>', 'model for new sessions (default demo, or by the API key that is set)')
    .option('--providers <json>', 'named providers of models, as in the configuration file')
    .option('--engine <name>', 'native or claude-agent-sdk')
    .option('--permission-mode <mode>', 'default, acceptEdits, plan, dontAsk or bypassPermissions')
    .option('--effort <effort>', `how much models think: ${EFFORTS.join(', ')}`)
    .option('--max-turns <number>', 'model turns per run (default 50)')
    .option(
      '--fallback-models <ids>',
      'models to ask, in this order, when one fails before it has said anything',
    )
    .option('--max-cost-usd <dollars>', 'what one run may cost at most')
    .option('--max-total-tokens <number>', 'tokens that one run may use at most')
    .option('--max-duration-ms <number>', 'how long one run may work')
    .option('--demo-pace-ms <number>', "pause between the demo model's deltas (default 12)")
    .option('--record <folder>', "keep redacted copies of the provider's streams for replay")
    .option('--config <file>', 'configuration file (default toolwire.config.json, if there is one)')
    .option('--trust-config', 'allow the configuration file of this folder, as it is now')
    .addOption(new Option('--no-open', 'do not open a browser').hideHelp())
    .action(async (flags: Record<string, unknown>) => {
      hideEnvironment()
      const sources = { flags, env: process.env, cwd: process.cwd() }
      const file = readConfigFile(sources)
      const isAllowed = flags['trustConfig'] === true
      await requireTrust(file, { ...sources, isAllowed, ask: terminalAsk() })
      await serve(readConfig(sources, file))
    })
}

/** Resolves when the server has stopped. */
async function serve(config: Config): Promise<void> {
  const product = await compose(config, process.env)
  // Before the address is printed: its reader may stop the server at once.
  const stopped = untilSignal()
  print(
    `Toolwire ${VERSION} on ${product.url} · model ${product.model} · data ${describeData(config)} · workspace ${product.workspace}\n`,
  )
  await stopped
  await product.close()
}
