/** The command. Prints one sentence and a documented code for anything a user can fix; never a stack. */
import { markLine } from '@toolwire/core/parts'
import { Command, CommanderError } from 'commander'
import { toCommandWords, toUsageError } from './command-words.ts'
import { addStartCommand } from './commands/start.ts'
import { EXIT, ExitError } from './exit.ts'
import { print, printError } from './terminal.ts'
import { VERSION } from './version.ts'

/**
 * Runs what the words of the process ask for and sets its exit code; resolves when that is done, for a server when it
 * has stopped. Never throws. A function, because parts that are loaded later import this module's neighbours: they
 * would wait for ever for a module that itself waits for the server to stop.
 */
export async function runCommandLine(): Promise<void> {
  const program = createProgram()
  try {
    const given = process.argv.slice(2)
    const commands = startsServer(given) ? [addStartCommand] : await loadCommands()
    for (const add of commands) add(program)
    await program.parseAsync(toCommandWords(program, given), { from: 'user' })
  } catch (error) {
    process.exitCode = report(error)
  }
}

/** True if these words can mean nothing but the server: then the code of the other commands is not loaded. */
function startsServer(words: readonly string[]): boolean {
  const [first = 'start'] = words
  return (first === 'start' || first.startsWith('-')) && !words.some(word => /^(help|--help|-h)$/.test(word))
}

/** The command without its subcommands. */
export const createProgram = (): Command =>
  new Command('toolwire')
    .description(
      "Runs an agent's tool calls on your server and streams them over whatever wire your front end speaks.",
    )
    .version(VERSION)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      outputError: (text, write) => write(`toolwire: ${markLine(toUsageError(text))}\n`),
    })

/** Every command, in the order of the help. */
export async function loadCommands(): Promise<readonly ((program: Command) => void)[]> {
  const { addDbCommand } = await import('./commands/db.ts')
  const { addKeysCommand } = await import('./commands/keys.ts')
  const { addDoctorCommand } = await import('./commands/doctor.ts')
  const { addRulesCommand } = await import('./commands/rules.ts')
  const { addFakeModelCommand } = await import('./commands/fake-model.ts')
  const { addChatCommand } = await import('./commands/chat.ts')
  const { addMcpCommand } = await import('./commands/mcp.ts')
  const { addRunCommand } = await import('./commands/run.ts')
  const { addPromptCommand } = await import('./commands/prompt.ts')
  const { addTrustCommand } = await import('./commands/trust.ts')
  const { addEvalCommand } = await import('./commands/eval.ts')
  return [
    addStartCommand,
    addChatCommand,
    addRunCommand,
    addMcpCommand,
    addDbCommand,
    addKeysCommand,
    addRulesCommand,
    addPromptCommand,
    addEvalCommand,
    addTrustCommand,
    addDoctorCommand,
    addFakeModelCommand,
  ]
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  if (error instanceof ExitError) {
    printError(`toolwire: ${error.message}\n`)
    return error.code
  }
  const why = error instanceof Error ? error.message : String(error)
  printError(`toolwire: unexpected error: ${why}\n`)
  if (process.env['TOOLWIRE_DEBUG'] && error instanceof Error) printError(`${error.stack}\n`)
  return EXIT.internal
}
