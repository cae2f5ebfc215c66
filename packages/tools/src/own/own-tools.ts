/**
 * Users' own tools: files, or folders of files, named in the configuration. They are checked again before every
 * turn, so that a new or changed file applies to the next one. An unusable file is reported and changes nothing:
 * its earlier tools stay.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Tool } from '@toolwire/core'
import { toolsOf } from './tool-kit.ts'

export interface OwnTools {
  /** The tools as of the latest look, in the order of the configuration. */
  readonly tools: () => readonly Tool[]
  /** Looks at the files again. One look at a time; never throws. */
  readonly refresh: () => Promise<void>
  /** Current problems, one sentence per file. */
  readonly problems: () => readonly string[]
}

export interface OwnToolsOptions {
  /** Absolute paths of files or folders. */
  readonly paths: readonly string[]
  /** Names that are taken already. */
  readonly taken?: () => ReadonlySet<string>
  /** Called once for every new problem. */
  readonly onProblem?: (problem: string) => void
  /** Load timeout of a file; 10 s if absent. No turn can start meanwhile. */
  readonly load_ms?: number
}

interface LoadedFile {
  /** Changes when the file does. */
  readonly version: string
  readonly tools: readonly Tool[]
  readonly problem?: string
}

const LOAD_MS = 10_000
const MODULE = /\.(ts|mts|js|mjs)$/
const NOT_A_TOOL = /\.(test|spec|d)\.m?[jt]s$/

export function createOwnTools(options: OwnToolsOptions): OwnTools {
  const { paths, onProblem, load_ms = LOAD_MS } = options
  let loaded: ReadonlyMap<string, LoadedFile> = new Map()
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const next = new Map<string, LoadedFile>()
    for (const file of await filesOf(paths)) next.set(file, await load(file, loaded.get(file), load_ms))
    for (const [file, { problem }] of next)
      if (problem !== undefined && problem !== loaded.get(file)?.problem) onProblem?.(problem)
    loaded = next
  }

  function clashes(): readonly string[] {
    const taken = options.taken?.() ?? new Set<string>()
    const all = [...loaded].flatMap(([file, one]) => one.tools.map(({ name }) => ({ file, name })))
    return all
      .filter(({ name }, i) => taken.has(name) || all.findIndex(other => other.name === name) < i)
      .map(({ file, name }) => `${file}: there is a tool named ${name} already, which is used instead.`)
  }

  return {
    tools: () => [...loaded.values()].flatMap(one => one.tools),
    async refresh() {
      looking ??= look()
        .catch(() => {})
        .finally(() => {
          looking = undefined
        })
      await looking
    },
    problems: () => [
      ...[...loaded.values()].flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
      ...clashes(),
    ],
  }
}

/** The files that are meant, a folder's in the order of their names. A path that is not there is kept: it may come. */
async function filesOf(paths: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    paths.map(async path => {
      const names = await readdir(path).catch(() => undefined)
      if (names === undefined) return [path]
      const modules = names.filter(name => MODULE.test(name) && !NOT_A_TOOL.test(name))
      return modules.sort().map(name => join(path, name))
    }),
  )
  return [...new Set(lists.flat())]
}

async function load(file: string, before: LoadedFile | undefined, load_ms: number): Promise<LoadedFile> {
  const version = await versionOf(file)
  if (before?.version === version) return before
  try {
    if (version === '') throw new Error('there is no such file')
    // The module cache knows a file by its address: another version needs another one.
    const url = `${pathToFileURL(file).href}?v=${encodeURIComponent(version)}`
    return { version, tools: await within(load_ms, importTools(url)) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const kept = before?.tools ?? []
    const rest = kept.length > 0 ? ' Its earlier version is used instead.' : ''
    return { version, tools: kept, problem: `The tool file ${file} cannot be used: ${why}.${rest}` }
  }
}

async function importTools(url: string): Promise<readonly Tool[]> {
  return await toolsOf((await import(/* @vite-ignore */ url)) as Readonly<Record<string, unknown>>)
}

/** A module that never finishes loading cannot be stopped; it is only no longer awaited. */
async function within<T>(ms: number, loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it has not loaded in ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([loading, late])
  } finally {
    clearTimeout(timer)
  }
}

async function versionOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file)
    return `${mtimeMs}-${size}-${ino}`
  } catch {
    return ''
  }
}
