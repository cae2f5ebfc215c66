/** The environment of commands: the server's own, without its secrets, and quiet. */

const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|(PASS|PWD|DSN|_PW)(_|\d|$)|CREDENTIAL|AUTH|COOKIE|_PAT$|_JWT$|WEBHOOK|CONNECTION_?STRING|CREDS|BEARER|MNEMONIC|(^|_)PRIVATE(_|$)|SIGNING|SALT$|_SEED$|_PIN$|^TOOLWIRE_|^DATABASE_URL$/i
/** Names that the expression meets and that hold none; without the keys of its settings git would refuse their count. */
const HARMLESS_NAME = /^(PWD|OLDPWD|GIT_CONFIG_KEY_\d+)$/
const SECRET_VALUE: readonly RegExp[] = [
  // An address with a password, or with a token in place of the user.
  /:\/\/[^\s@]*:[^\s@]*@/,
  /\bhttps?:\/\/[^\s/@]+@/i,
  // The same without a scheme, as proxies and the drivers of Go have it.
  /^[^\s:/@]+:(?!\/\/)[^\s@]+@[\w.-]+([:/(]|$)/,
  // An address with one of these in its query, or of a service that knows its callers by the address alone.
  /[?&;][\w-]*(token|secret|passw|pwd|key|sig|auth|credential)[\w-]*=[^&\s]/i,
  /\bhooks\.slack\.com\/|\bdiscord(app)?\.com\/api\/webhooks\//i,
  /\b(bearer|basic)\s+[\w+/.~-]{8,}/i,
  /"private_key/,
  // A connection string.
  /\b(password|passwd|pwd|secret|accountkey|sharedaccesskey)\s*=\s*[^\s;]/i,
  // Keys that are known by their form.
  /\b(sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|AKIA[A-Z0-9]{16}|xox[abeprs]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.)/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
]

/** True if a variable may hold a secret, by its name or the form of its value. */
export const isSecretVariable = (name: string, value: string): boolean =>
  (SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)) || SECRET_VALUE.some(form => form.test(value))

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

/**
 * Variables that make a shell run or define something before the command itself, or change the meaning of its
 * words.
 */
const STARTERS = /^(BASH_ENV|ENV|PROMPT_COMMAND|PS4|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE)$/

/** `allow` names secrets that commands may see after all. */
export function commandEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  allow: readonly string[] = [],
): Record<string, string> {
  const kept = Object.entries(from).flatMap(([name, value]) =>
    value !== undefined && !STARTERS.test(name) && (allow.includes(name) || !isSecretVariable(name, value))
      ? [[name, value] as const]
      : [],
  )
  return { ...Object.fromEntries(kept), ...QUIET }
}
