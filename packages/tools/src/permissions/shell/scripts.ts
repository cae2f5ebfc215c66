/** Small languages inside arguments: which sed and awk programs can do nothing but print. */
import { positionals } from './flags.ts'

const SED_FLAGS = /^-(n|E|r|s|u|z|nE|En|nr|rn|e|ne|Ee|nEe|-quiet|-silent|-regexp-extended|-posix|-debug)$/
const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,(?:[+~]?\d+|\$|/(?:[^/\\\n]|\\.)*/))?!?`
const PRINTING = String.raw`(?:[pdq=lhHgGxnND]|[qQ]\d*|y/[^/\n]*/[^/\n]*/|s([/|#,:@!])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*)`
const SED_SCRIPT = new RegExp(String.raw`^\s*(?:(?:${ADDRESS})?\s*(?:${PRINTING})\s*(?:[;\n]\s*|$))+$`)

/** No in-place editing, no script file, and a script of printing commands only (`w`, `e`, `r` are not). */
export function isReadOnlySed(args: readonly string[]): boolean {
  const flags = args.filter(arg => arg.startsWith('-') && arg !== '-')
  if (!flags.every(flag => SED_FLAGS.test(flag))) return false
  const byFlag = args.flatMap((arg, i) => (/^-(n|E|nE)?e$/.test(arg) ? [args[i + 1] ?? ''] : []))
  const scripts = byFlag.length > 0 ? byFlag : positionals(args).slice(0, 1)
  return scripts.length > 0 && scripts.every(script => SED_SCRIPT.test(script))
}

/** No script file, no extension loading, and a program without pipes, output files, commands or getline. */
export function isReadOnlyAwk(args: readonly string[]): boolean {
  const flags = args.filter(arg => arg.startsWith('-') && arg !== '-')
  if (!flags.every(flag => /^-(F.*|v)$/.test(flag))) return false
  const [program] = positionals(args, ['-F', '-v'])
  return program !== undefined && isPrintingAwk(program)
}

function isPrintingAwk(program: string): boolean {
  // Strings and regular expressions are taken out first: a `>` inside them is harmless.
  const bare = program.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  if (/\b(system|getline|close|fflush)\b|@|\|(?!\|)/.test(bare.replaceAll('||', ''))) return false
  // A comparison needs parentheses or a pattern position; `print … > x` writes a file.
  return !/\bprintf?\b[^;}\n]*>/.test(bare)
}
