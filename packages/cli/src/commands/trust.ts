/** `toolwire trust`: allows the configuration file of a folder, or takes that back. */
import type { Command } from 'commander'
import { readConfigFile } from '../config-file.ts'
import { setTrust } from '../config-trust.ts'
import { print } from '../terminal.ts'

export function addTrustCommand(program: Command): void {
  program
    .command('trust')
    .description('allow the configuration file of this folder, as it is now, to be used by a start')
    .option('--config <file>', 'another configuration file')
    .option('--remove', 'take it back')
    .action(({ config, remove }: { readonly config?: string; readonly remove?: boolean }) => {
      const sources = { flags: { config }, env: process.env, cwd: process.cwd() }
      const file = readConfigFile(sources)
      const shown = setTrust(file, sources, remove !== true)
      print(remove === true ? `no longer allowed: ${file.path}\n` : `${shown}\nallowed: ${file.path}\n`)
    })
}
