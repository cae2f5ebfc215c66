/** The command. Prints one sentence and a documented code for anything a user can mend; never a stack. */
import { Command, CommanderError } from 'commander'
import { addDbCommand } from './commands/db.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addFakeModelCommand } from './commands/fake-model.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addStartCommand } from './commands/start.ts'
import { EXIT, ExitError } from './exit.ts'
import { VERSION } from './version.ts'

const program = new Command('toolwire')
  .description(
    "Runs an agent's tool calls on your server and streams them over whatever wire your front end speaks.",
  )
  .version(VERSION)
  .showSuggestionAfterError()
  .exitOverride()
addStartCommand(program)
addDbCommand(program)
addKeysCommand(program)
addDoctorCommand(program)
addFakeModelCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  if (error instanceof ExitError) {
    process.stderr.write(`toolwire: ${error.message}\n`)
    return error.code
  }
  const why = error instanceof Error ? error.message : String(error)
  process.stderr.write(`toolwire: unexpected error: ${why}\n`)
  if (process.env['TOOLWIRE_DEBUG'] && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  return EXIT.internal
}
