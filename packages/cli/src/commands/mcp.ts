/** `toolwire mcp`: this product as an MCP server over standard input and output. */
import type { Command } from 'commander'
import { compose } from '../compose.ts'
import { toOffer } from '../compose-mcp-server.ts'
import { readConfig } from '../config.ts'
import { readConfigFile } from '../config-file.ts'
import { requireTrust } from '../config-trust.ts'
import { ExitError } from '../exit.ts'
import { hideEnvironment } from '../hide-environment.ts'
import { printError } from '../terminal.ts'
import { untilSignal } from '../until-signal.ts'
import { VERSION } from '../version.ts'

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve tools and agents to an MCP host over standard input and output')
    .option('--port <number>', 'port of the web app, where approvals wait too (default: a free one)', '0')
    .option('--data <folder>', 'where sessions are kept (default .toolwire)')
    .option('--database <url>', 'PostgreSQL database for sessions, shared by several servers')
    .option('--workspace <folder>', 'where tools work (default a copy of the sample project)')
    .option('--model <id>', 'model of agents (default demo, or by the API key that is set)')
    .option('--permission-mode <mode>', 'default, acceptEdits, plan, dontAsk or bypassPermissions')
    .option('--config <file>', 'configuration file (default toolwire.config.json, if there is one)')
    .option('--trust-config', 'allow the configuration file of this folder, as it is now')
    .action(async (flags: Record<string, unknown>) => {
      hideEnvironment()
      const sources = { flags, env: process.env, cwd: process.cwd() }
      const file = readConfigFile(sources)
      // Standard input belongs to the protocol: no user can be asked.
      await requireTrust(file, { ...sources, isAllowed: flags['trustConfig'] === true, ask: undefined })
      await serve(readConfig(sources, file))
    })
}

/** Resolves when the host has closed the input, or at a signal. */
async function serve(config: ReturnType<typeof readConfig>): Promise<void> {
  const { mcpServe } = config
  if (!mcpServe)
    throw new ExitError(
      'usage',
      'Name what to offer in toolwire.config.json, such as "mcpServe": {"tools": ["Read"]}: nothing is offered without it.',
    )
  const offer = toOffer(config, mcpServe)
  const product = await compose(config, process.env)
  const until = untilSignal()
  printError(`Toolwire ${VERSION} serves MCP; approvals wait at ${product.url}\n`)
  const { serveOverStdio } = await import('@toolwire/mcp/serve')
  const { stdin: input, stdout: output } = process
  await serveOverStdio({ host: product.callHost, offer, version: VERSION, input, output, until })
  await product.close()
}
