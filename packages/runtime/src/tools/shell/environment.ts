/** The environment of commands: the server's own, without its secrets, and quiet. */

const SECRET = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|^TOOLWIRE_|^DATABASE_URL$|_DSN$/i

/** The names of git's settings are no keys; without them git would refuse the count of them. */
const isSecret = (name: string): boolean => SECRET.test(name) && !/^GIT_CONFIG_KEY_\d+$/.test(name)

/** Nothing may wait for a person, page or colour its output. */
const QUIET: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  // `git status` only reads; without this it would also refresh the index on disk.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_EDITOR: 'true',
  EDITOR: 'true',
  VISUAL: 'true',
  NO_COLOR: '1',
  TERM: 'dumb',
  DEBIAN_FRONTEND: 'noninteractive',
}

/** What a shell would run or define before the command itself, or would take its words to mean. */
const STARTERS = /^(BASH_ENV|ENV|PROMPT_COMMAND|PS4|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE)$/

/** `allow` names secrets that commands may see after all. */
export function commandEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  allow: readonly string[] = [],
): Record<string, string> {
  const kept = Object.entries(from).flatMap(([name, value]) =>
    value !== undefined && !STARTERS.test(name) && (allow.includes(name) || !isSecret(name))
      ? [[name, value] as const]
      : [],
  )
  return { ...Object.fromEntries(kept), ...QUIET }
}
