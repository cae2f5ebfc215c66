/** `toolwire [start]`: the server, until it is told to stop. */
import { type Command, Option } from 'commander'
import { compose } from '../compose.ts'
import { type Config, readConfig } from '../config.ts'
import { lowerEngineThreads } from '../engine-threads.ts'
import { describeData } from '../open-data.ts'
import { untilSignal } from '../until-signal.ts'
import { VERSION } from '../version.ts'

export function addStartCommand(program: Command): void {
  program
    .command('start', { isDefault: true })
    .description('start the server (default)')
    .option('--port <number>', 'port to listen on (default 8000; 0 picks a free one)')
    .option('--host <address>', 'address to listen on (default 127.0.0.1; another one needs API keys)')
    .option('--data <folder>', 'where sessions are kept (default .toolwire)')
    .option('--database <url>', 'PostgreSQL database for sessions, shared by several servers')
    .option('--workspace <folder>', 'where tools work (default a copy of the sample project)')
    .option('--model <id>', 'model for new sessions (default demo, or by the API key that is set)')
    .option('--engine <name>', 'native or claude-agent-sdk')
    .option('--permission-mode <mode>', 'default, acceptEdits, plan, dontAsk or bypassPermissions')
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
    .addOption(new Option('--no-open', 'do not open a browser').hideHelp())
    .action(async (flags: Record<string, unknown>) => {
      const config = readConfig({ flags, env: process.env, cwd: process.cwd() })
      await serve(config)
    })
}

/** Resolves when the server has stopped. */
async function serve(config: Config): Promise<void> {
  const product = await compose(config, process.env)
  // Not before it listens: nothing here is in a hurry.
  const { boundEngineMemory } = await import('../engine-memory.ts')
  boundEngineMemory()
  lowerEngineThreads()
  // Before anybody knows that it runs: whoever reads the line may stop it at once.
  const stopped = untilSignal()
  process.stdout.write(
    `Toolwire ${VERSION} on ${product.url} · model ${product.model} · data ${describeData(config)} · workspace ${product.workspace}\n`,
  )
  await stopped
  await product.close()
}
