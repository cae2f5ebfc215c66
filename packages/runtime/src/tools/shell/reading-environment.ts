/**
 * The environment of a line that runs because it only reads: programs that would do more by the wish of
 * the project, and not of the line, are told not to. A line that somebody allowed gets none of this.
 */

/** Settings of git that name programs, or lead into submodules, whose own configuration may name some. */
const GIT: readonly (readonly [string, string])[] = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['diff.autoRefreshIndex', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
]

const PINNED: Readonly<Record<string, string>> = {
  // Objects that a partial clone lacks would be fetched, from wherever its configuration says.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  // Otherwise each would fetch the version of itself that the project names.
  GOTOOLCHAIN: 'local',
  COREPACK_ENABLE_NETWORK: '0',
  COREPACK_ENABLE_PROJECT_SPEC: '0',
}

/** Adds to what git is told by the environment already; what comes last counts. Pure. */
export function readingEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const before = Number.parseInt(env['GIT_CONFIG_COUNT'] ?? '', 10) || 0
  const settings = GIT.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${before + i}`, key] as const,
    [`GIT_CONFIG_VALUE_${before + i}`, value] as const,
  ])
  return {
    ...env,
    ...PINNED,
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(before + GIT.length),
  }
}
