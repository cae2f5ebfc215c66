/** The package of the codex command-line agent. */
import type { Installable } from './installed.ts'

export const codex: Installable = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  program: 'bin/codex.js',
}
