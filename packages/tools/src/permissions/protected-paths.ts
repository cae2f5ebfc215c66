/**
 * Files that decide what runs later, or that agents read as instructions. Changing one is asked about, also where edits
 * are accepted and where a rule allows the directory. Below `.toolwire` that is so in every mode.
 */
import { basename, resolve, sep } from 'node:path'
import type { PermissionSubject } from '@toolwire/core'
import { isInside } from '../safe-files/real-path.ts'
import { toPathPattern } from './path-pattern.ts'
import type { PermissionRequest } from './permission-request.ts'
import { rulePlaces } from './rule-places.ts'
import { matchesTool, type Rule } from './rules.ts'

/** The source of rules from the list below. */
export const BUILT_IN = 'built in'

/** The rules decide about everything else. */
const SETTINGS = '.toolwire'

/** Directories, at any depth, with everything in them. */
const DIRECTORIES: readonly string[] = [
  SETTINGS,
  ...['.git', '.githooks', '.husky'],
  ...['.agents', '.claude', '.codex', '.cursor', '.gemini', '.clinerules', '.windsurf'],
  ...['.vscode', '.idea', '.devcontainer'],
]

/** Names of files, at any depth. */
const FILES: readonly string[] = [
  'toolwire.config.json',
  ...[
    '.gitconfig',
    '.gitmodules',
    '.mcp.json',
    '.claude.json',
    '.ripgreprc',
    '.envrc',
    '.pre-commit-config.yaml',
  ],
  // Instructions for agents.
  ...['agents.md', 'agents.override.md', 'agent.md', 'claude.md', 'claude.local.md', 'gemini.md'],
  ...['copilot-instructions.md', '.cursorrules', '.windsurfrules', '.clinerules', '.goosehints', '.rules'],
  // Files that shells run when they start or end.
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile', '.kshrc'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.inputrc', 'config.fish'],
]

type Around = Pick<PermissionRequest, 'workspace' | 'rule_bases' | 'realPath' | 'ignoresCase' | 'programs'>

/** The built-in rule that asks about writing to this absolute path, as it is written or where it leads. */
export function protectedRule(path: string, around: Around): Rule | undefined {
  for (const one of new Set([path, around.realPath(path)])) {
    const name = nameIn(one, around) ?? programAt(one, around)
    if (name !== undefined) return { decision: 'ask', text: `Edit(${name})`, tool: 'Edit', source: BUILT_IN }
  }
  return undefined
}

/** The same for a call: an allow rule that names the very file, without a wildcard, has answered before. */
export function protectedFrom(
  subject: Extract<PermissionSubject, { type: 'path' }>,
  request: PermissionRequest,
  rules: readonly Rule[],
): Rule | undefined {
  const { path, named = path, write } = subject
  const rule = write ? (protectedRule(path, request) ?? protectedRule(named, request)) : undefined
  if (!rule || isSettings(rule)) return rule
  return rules.some(one => namesExactly(one, path, request)) ? undefined : rule
}

/** Bypassed permissions leave only this one. */
export const isSettings = ({ text }: Rule): boolean => text === `Edit(${SETTINGS}/**)`

function namesExactly(
  { decision, content, ...rule }: Rule,
  path: string,
  request: PermissionRequest,
): boolean {
  if (decision !== 'allow' || content === undefined || basename(content) !== basename(path)) return false
  if (/[*?[{(]/.test(content) || !matchesTool({ decision, content, ...rule }, request.tool)) return false
  return toPathPattern(content, rulePlaces(request), false).fits(path)
}

/** The list's entry for a path below the workspace, or for a full path elsewhere. */
function nameIn(path: string, around: Around): string | undefined {
  const { workspaces, outer = [] } = rulePlaces(around)
  const root = [...workspaces, ...outer].find(dir => isInside(path, dir)) ?? ''
  const names = path.slice(root.length).split(sep).filter(Boolean).map(fold)
  const dir = DIRECTORIES.find(one => names.includes(one))
  if (dir !== undefined) return `${dir}/**`
  return FILES.find(one => one === names.at(-1))
}

/** As file systems read names that ignore case, characters that show nothing, and dots at the end. */
const fold = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replace(/[. ]{1,8}$/, '')
    .toLowerCase()

/** A word that the configuration runs: a file, or a directory of them, which does not hold the whole workspace. */
function programAt(path: string, { workspace, realPath, programs = [] }: Around): string | undefined {
  return programs.find(word => {
    const file = resolve(workspace, word)
    const isNamed = isInside(path, file) || isInside(path, realPath(file))
    return isNamed && !isInside(workspace, file) && !isInside(realPath(workspace), realPath(file))
  })
}
