/** Prepares the words of the caller for the parser, which would pass a mistyped command to the default one. */
import type { Command } from 'commander'

const ABOUT_PROGRAM = ['-h', '--help', '-V', '--version']

/** Names the default command, turns `help NAME` into `NAME --help`, and ends the words at an unknown command. */
export function toCommandWords(program: Command, given: readonly string[]): readonly string[] {
  const [first] = given
  if (first === undefined || (first.startsWith('-') && !ABOUT_PROGRAM.includes(first)))
    return ['start', ...given]
  const words: string[] = []
  const help: string[] = []
  let command = program
  for (const [i, word] of given.entries()) {
    if (word.startsWith('-') || command.commands.length === 0) return [...words, ...given.slice(i), ...help]
    if (word === 'help') {
      help[0] = '--help'
      continue
    }
    words.push(word)
    const next = command.commands.find(one => one.name() === word || one.aliases().includes(word))
    // The parser reports an unknown command only where no flag follows that it could act on first.
    if (!next) return words
    command = next
  }
  return [...words, ...help]
}

/** Rewrites an error of the parser as one sentence, with its suggestion or a hint at the list of commands. */
export function toUsageError(text: string): string {
  const [what = '', suggestion] = text
    .trimEnd()
    .replace(/^error: /, '')
    .split('\n(Did you mean ', 2)
  if (suggestion !== undefined) return `${what}; did you mean ${suggestion.replace(/\?\)$/, '')}?`
  return `${what.replace(/\.$/, '')}; see \`toolwire help\`.`
}
