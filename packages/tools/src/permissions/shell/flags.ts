/** Reading argv the way GNU programs do: clusters, abbreviations, `--`, attached values. */

/**
 * True if any argument could be one of `flags`. Long options also match by unique prefix (`--outp=x` is
 * `--output`), short ones inside a cluster (`-no file`). Stops at `--`.
 */
export function hasFlag(args: readonly string[], flags: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).some(arg => flags.some(flag => isFlag(arg, flag)))
}

function isFlag(arg: string, flag: string): boolean {
  if (arg === flag) return true
  if (flag.startsWith('--')) {
    const name = arg.split('=', 1)[0] ?? ''
    return name.length > 2 && name.startsWith('--') && flag.startsWith(name)
  }
  if (!/^-[A-Za-z]$/.test(flag)) return arg.startsWith(`${flag}=`)
  return /^-[^-]/.test(arg) && arg.slice(1).includes(flag.slice(1))
}

/** Arguments that are not options. `valued` names the options whose value is the next argument. */
export function positionals(args: readonly string[], valued: readonly string[] = []): readonly string[] {
  const out: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '--') return [...out, ...args.slice(i + 1)]
    if (valued.includes(arg)) i++
    else if (!arg.startsWith('-') || arg === '-') out.push(arg)
  }
  return out
}
