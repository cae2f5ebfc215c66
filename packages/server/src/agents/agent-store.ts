/**
 * Agents and their versions as records. A version is never edited: its settings are stored under their hash before the
 * agent names them, so that a crash leaves the version before or the one after.
 */
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'
import { AgentConfig, configHash } from './agent-config.ts'

const AGENT = 'agent'
const CONFIG = 'agent_config'
/** One record per owner: the ids of its agents by name. */
const NAMES = 'agent_names'
const MAX_AGENTS = 200
const MAX_VERSIONS = 1_000

const VersionRecord = z.object({
  version: z.number().int(),
  sha256: z.string(),
  created_at: z.string(),
  by: z.string(),
})
export type AgentVersion = z.output<typeof VersionRecord>

const AgentRecord = z.object({
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  /** Oldest first; the last one is current. */
  versions: z.array(VersionRecord).min(1),
  archived_at: z.string().optional(),
})
export type AgentRecord = z.output<typeof AgentRecord>
const NamesRecord = z.object({ ids: z.record(z.string(), z.string()) })

export interface NewAgentRecord {
  readonly id: string
  readonly name: string
  readonly owner: string
  readonly config: AgentConfig
  readonly by: string
  readonly now: string
}

/** The agent, and false if this very one existed already. Throws `conflict` and `limit_reached`. */
export async function createAgent(
  records: Records,
  { id, name, owner, config, by, now }: NewAgentRecord,
): Promise<{ readonly agent: AgentRecord; readonly isNew: boolean }> {
  const sha256 = await putConfig(records, id, config)
  const before = await readAgent(records, id)
  if (before) {
    if (before.owner === owner && before.name === name && before.versions[0]?.sha256 === sha256)
      return { agent: before, isNew: false }
    throw new AppError('conflict', 'This Idempotency-Key was used for an agent with other settings.')
  }
  const taken = (await namesOf(records, owner)).ids[name]
  // A crash may have left a name without its agent.
  const isLeftOver = taken !== undefined && (await readAgent(records, taken)) === undefined
  await records.update(NAMES, owner, value => {
    const { ids } = toNames(value)
    if (ids[name] !== undefined && ids[name] !== id && !(isLeftOver && ids[name] === taken))
      throw new AppError('conflict', `name: there is an agent ${name}`)
    if (ids[name] === undefined && Object.keys(ids).length >= MAX_AGENTS)
      throw new AppError('limit_reached', `An owner may have ${MAX_AGENTS} agents, archived ones included.`)
    return { ids: { ...ids, [name]: id } }
  })
  const agent: AgentRecord = { id, name, owner, versions: [{ version: 1, sha256, created_at: now, by }] }
  await records.put(AGENT, id, agent)
  return { agent, isNew: true }
}

export interface AgentEdit {
  readonly config: AgentConfig
  /** The version that the settings were made from. */
  readonly base: number
  readonly by: string
  readonly now: string
}

/** Adds a version, unless nothing has changed. Throws `version_changed`, `conflict` for an archived agent, and `limit_reached`. */
export async function addVersion(
  records: Records,
  id: string,
  { config, base, by, now }: AgentEdit,
): Promise<AgentRecord> {
  const sha256 = await putConfig(records, id, config)
  const next = await records.update(AGENT, id, value => {
    const agent = AgentRecord.parse(value)
    mustBeActive(agent)
    const latest = latestOf(agent)
    if (latest.version !== base) throw versionChanged(latest.version)
    if (latest.sha256 === sha256) return agent
    if (agent.versions.length >= MAX_VERSIONS)
      throw new AppError('limit_reached', `An agent may have ${MAX_VERSIONS} versions.`)
    return { ...agent, versions: [...agent.versions, { version: base + 1, sha256, created_at: now, by }] }
  })
  return AgentRecord.parse(next)
}

export const versionChanged = (version: number): AppError =>
  new AppError('version_changed', `The current version is ${version}.`, { version })

/** Idempotent: it keeps the time of the first request. */
export async function archiveAgent(records: Records, id: string, now: string): Promise<AgentRecord> {
  const archived = await records.update(AGENT, id, value => ({
    archived_at: now,
    ...AgentRecord.parse(value),
  }))
  return AgentRecord.parse(archived)
}

/** Throws `conflict` for an archived agent. */
export function mustBeActive({ name, archived_at }: AgentRecord): void {
  if (archived_at !== undefined) throw new AppError('conflict', `The agent ${name} is archived.`)
}

/** The owner's agent of this id or name. Throws `not_found`, also for those of others. */
export async function findAgent(records: Records, owner: string, idOrName: string): Promise<AgentRecord> {
  const { ids } = await namesOf(records, owner)
  const id = Object.hasOwn(ids, idOrName) ? ids[idOrName] : idOrName
  const agent = id === undefined ? undefined : await readAgent(records, id)
  if (!agent || agent.owner !== owner) throw new AppError('not_found', 'No such agent.')
  return agent
}

/** All of an owner, by name. */
export async function listAgents(records: Records, owner: string): Promise<readonly AgentRecord[]> {
  const { ids } = await namesOf(records, owner)
  const found = await records.getMany(AGENT, Object.values(ids))
  const agents = found.map(({ value }) => AgentRecord.parse(value)).filter(agent => agent.owner === owner)
  return agents.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The settings of a version. Throws `not_found`. */
export async function readConfig(
  records: Records,
  agent: AgentRecord,
  version?: number,
): Promise<{ readonly version: AgentVersion; readonly config: AgentConfig }> {
  const found = version === undefined ? latestOf(agent) : agent.versions.find(one => one.version === version)
  const value = found && (await records.get(CONFIG, configId(agent.id, found.sha256)))
  if (!found || value === undefined) throw new AppError('not_found', `No version ${version} of this agent.`)
  return { version: found, config: AgentConfig.parse(value) }
}

export function latestOf({ versions }: AgentRecord): AgentVersion {
  const latest = versions.at(-1)
  if (!latest) throw new AppError('storage_error', 'An agent without versions was read.')
  return latest
}

const configId = (id: string, sha256: string): string => `${id}.${sha256}`

async function putConfig(records: Records, id: string, config: AgentConfig): Promise<string> {
  const sha256 = configHash(config)
  await records.put(CONFIG, configId(id, sha256), config)
  return sha256
}

async function readAgent(records: Records, id: string): Promise<AgentRecord | undefined> {
  const value = await records.get(AGENT, id)
  return value === undefined ? undefined : AgentRecord.parse(value)
}

const toNames = (value: unknown): z.output<typeof NamesRecord> =>
  value === undefined ? { ids: {} } : NamesRecord.parse(value)

const namesOf = async (records: Records, owner: string): Promise<z.output<typeof NamesRecord>> =>
  toNames(await records.get(NAMES, owner))
