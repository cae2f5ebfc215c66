/**
 * The environment of every git that runs unasked. Variables that lead git to another repository, or name a
 * program or a file to write, are left out, and settings that name programs are overridden: what comes by the
 * environment wins over every file, also over one that changes in the meantime. Pure.
 */
import { delimiter, isAbsolute } from 'node:path'

export type GitSetting = readonly [key: string, value: string]

/** Variables of git that name neither a repository nor a program. */
const KEPT =
  /^GIT_(CONFIG_(COUNT|KEY_\d+|VALUE_\d+|GLOBAL|SYSTEM|NOSYSTEM)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)$/

const SETTINGS: readonly GitSetting[] = [
  ['safe.bareRepository', 'explicit'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', 'none'],
  ['core.alternateRefsCommand', 'false'],
  ['credential.helper', ''],
  ['diff.autoRefreshIndex', 'false'],
  // A submodule has a separate configuration, which may name programs.
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
]

const VARIABLES: Readonly<Record<string, string>> = {
  // Objects that a partial clone lacks would be fetched, from wherever its configuration says.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ASKPASS: '',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  // Without it `git status` would also refresh the index on disk.
  GIT_OPTIONAL_LOCKS: '0',
}

/** Adds to the settings that the environment holds already; the last of a name wins. */
export function gitEnvironment(
  env: Readonly<Record<string, string>>,
  more: readonly GitSetting[] = [],
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name))
  const before = Number.parseInt(env['GIT_CONFIG_COUNT'] ?? '', 10) || 0
  const all = [...SETTINGS, ...more]
  const settings = all.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${before + i}`, key] as const,
    [`GIT_CONFIG_VALUE_${before + i}`, value] as const,
  ])
  return {
    ...Object.fromEntries(kept),
    ...VARIABLES,
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(before + all.length),
  }
}

/** The search path without directories whose programs the workspace chooses. */
export const searchPathOutside = (path: string, isInside: (dir: string) => boolean): string =>
  path
    .split(delimiter)
    .filter(dir => isAbsolute(dir) && !isInside(dir))
    .join(delimiter)
