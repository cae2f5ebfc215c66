/** Agents in files of a project. Of two with one name the nearest to the working directory replaces the other. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { canonicalPath, isInside } from '../files/resolve-path.ts'
import type { MayLoad } from '../prompt/instruction-guard.ts'
import { type FolderTrust, judgeFolder, projectFolders } from '../prompt/project-folders.ts'
import { listDirectory } from '../safe-files/held-directory.ts'
import { openFile, readUpTo } from '../safe-files/open-file.ts'
import { type AgentFile, readAgentFile } from './agent-file.ts'

const FOLDERS = ['.claude/agents', '.toolwire/agents']
const MAX_FILES = 100
/** Bytes of one file. */
const MAX_FILE = 64 * 1024
/** Characters of all instructions: they are recorded with the session. */
const MAX_TOTAL = 128_000

export interface AgentSet {
  /** By name. */
  readonly agents: readonly AgentFile[]
  /** Folders and files that are not trusted. */
  readonly skipped: readonly string[]
  readonly warnings: readonly string[]
}

/** Never throws. */
export async function findAgents(cwd: string, trust: FolderTrust, mayLoad: MayLoad): Promise<AgentSet> {
  const path = canonicalPath(cwd)
  const verdict = judgeFolder(path, trust)
  if (!verdict) return { agents: [], skipped: projectFolders(path, FOLDERS), warnings: [] }
  const skipped: string[] = []
  const warnings: string[] = []
  const agents = new Map<string, AgentFile>()
  let room = MAX_TOTAL
  for (const file of (await readFolders(path, verdict.top, mayLoad)).reverse()) {
    if ('problem' in file) {
      warnings.push(`${file.path}: ${file.problem}`)
      continue
    }
    if (verdict.known && verdict.known[file.path] !== file.sha256) {
      skipped.push(file.path)
      continue
    }
    const read = readAgentFile(file.text, file.stem)
    if ('problem' in read) warnings.push(`${file.path}: ${read.problem}`)
    else if (agents.has(read.name)) continue
    else if (read.system.length > room)
      warnings.push(`${file.path}: left out, because the agents are too long`)
    else {
      room -= read.system.length
      warnings.push(...read.warnings.map(text => `${file.path}: ${text}`))
      agents.set(read.name, read)
    }
  }
  const byName = [...agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { agents: byName, skipped: skipped.reverse(), warnings: warnings.reverse() }
}

/** Every file of an agent with its hash, trusted or not. Never throws. */
export async function projectAgentFiles(
  cwd: string,
): Promise<readonly { readonly path: string; readonly sha256: string }[]> {
  const files = await readFolders(canonicalPath(cwd))
  return files.flatMap(file => ('problem' in file ? [] : [{ path: file.path, sha256: file.sha256 }]))
}

type ReadFile =
  | { readonly path: string; readonly stem: string; readonly text: string; readonly sha256: string }
  | { readonly path: string; readonly problem: string }

/** In the order in which later ones replace earlier ones. */
async function readFolders(cwd: string, top?: string, mayLoad?: MayLoad): Promise<ReadFile[]> {
  const files: ReadFile[] = []
  for (const folder of projectFolders(cwd, FOLDERS, top)) {
    const entries = await listDirectory(folder).catch(() => [])
    const names = entries.map(({ name }) => name).filter(name => name.endsWith('.md'))
    const read = names.sort().slice(0, MAX_FILES)
    if (read.length < names.length)
      files.push({ path: folder, problem: `only the first ${MAX_FILES} of its files are read` })
    for (const name of read) files.push(await readFile(folder, name, mayLoad))
  }
  return files
}

async function readFile(folder: string, name: string, mayLoad: MayLoad | undefined): Promise<ReadFile> {
  const path = join(folder, name)
  const real = canonicalPath(path)
  if (!isInside(real, folder)) return { path, problem: 'left out, because a link leads out of its folder' }
  if (mayLoad && !((await mayLoad(path)) && (await mayLoad(real))))
    return { path, problem: 'left out, because models may not read it unasked' }
  const file = await openFile(real).catch(() => undefined)
  if (!file) return { path, problem: 'not a regular file that can be read' }
  try {
    const bytes = await readUpTo(file, MAX_FILE + 1)
    if (bytes.length > MAX_FILE) return { path, problem: `larger than ${MAX_FILE} bytes` }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const sha256 = createHash('sha256').update(text).digest('hex')
    return { path, stem: name.slice(0, -'.md'.length), text, sha256 }
  } catch {
    return { path, problem: 'not UTF-8 text that can be read' }
  } finally {
    await file.close()
  }
}
