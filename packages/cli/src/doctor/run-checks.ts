/** Looks at everything that a start needs or that a tool could use, and changes nothing. */
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { loadAgentSdk } from '@toolwire/engine-claude'
import { sqliteVersion } from '@toolwire/store'
import { findSandbox, ripgrepPath } from '@toolwire/tools'
import { availableModels } from '../default-model.ts'
import { ExitError } from '../exit.ts'
import { type EffectiveProvider, effectiveProvider } from '../provider-keys/effective-provider.ts'
import { type FixedProvider, readFixedProviders } from '../provider-keys/fixed-providers.ts'
import { isOpenToOthers, keyFilePath, readKeyFile } from '../provider-keys/key-file.ts'
import { openProviderKeys } from '../provider-keys/provider-keys.ts'
import { builtInFacts } from '../provider-keys/providers.ts'
import type { DoctorContext } from './doctor-context.ts'
import { examineLog } from './examine-log.ts'
import { examineMcp } from './examine-mcp.ts'
import { examineClock, examineDescriptors, examineProxy } from './examine-surroundings.ts'
import { bad, type Finding, good, note } from './finding.ts'

const LEAST_SPACE = 1024 ** 3

/** Every check answers; none throws. In the order in which they are shown. */
export async function runChecks(patient: DoctorContext): Promise<readonly Finding[]> {
  const checks = [
    examineNode,
    examineEngine,
    examineData,
    examineLog,
    examineSpace,
    examinePort,
    examineWeb,
    examineModels,
    examineSearch,
    examineShell,
    examineAgentSdk,
    examineMcp,
    examineClock,
    examineDescriptors,
    examineProxy,
  ]
  return await Promise.all(checks.map(check => answer(check, patient)))
}

type Check = (patient: DoctorContext) => Finding | Promise<Finding>

async function answer(check: Check, patient: DoctorContext): Promise<Finding> {
  try {
    return await check(patient)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof ExitError) return bad(why, 'a start would refuse it')
    return bad(`${check.name} failed: ${why}`, 'report this as a bug')
  }
}

// The command itself refuses versions that are too old.
const examineNode = (): Finding => good(`Node ${process.versions.node}`)

const examineEngine = (): Finding => good(`SQLite ${sqliteVersion()}`)

function examineData({ config }: DoctorContext): Finding {
  const folder = nearestFolder(config.data)
  try {
    accessSync(folder, constants.W_OK)
    rmSync(mkdtempSync(join(folder, '.toolwire-doctor-')), { recursive: true })
  } catch {
    return bad(`data folder ${config.data} is not writable`, 'choose another with --data')
  }
  return good(`data folder ${config.data}${existsSync(config.data) ? '' : ' (will be made)'}`)
}

function examineSpace({ config }: DoctorContext): Finding {
  const { bavail, bsize } = statfsSync(nearestFolder(config.data))
  const free = bavail * bsize
  const what = `${(free / 1024 ** 3).toFixed(1)} GiB free for data`
  return free >= LEAST_SPACE ? good(what) : note(what, 'make room: appends are refused when the disk is full')
}

function examinePort({ config, isRunning }: DoctorContext): Finding | Promise<Finding> {
  const { host, port } = config
  if (isRunning) return good(`this server answers on ${host}`)
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', error => {
      const code = 'code' in error ? String(error.code) : error.message
      resolve(bad(`address ${host}:${port} cannot be used (${code})`, 'choose another with --port or --host'))
    })
    probe.listen({ host, port }, () =>
      probe.close(() =>
        resolve(good(port === 0 ? `a free port on ${host}` : `address ${host}:${port} is free`)),
      ),
    )
  })
}

function examineWeb({ webRoot }: DoctorContext): Finding {
  return existsSync(join(webRoot, 'index.html'))
    ? good('web app is built')
    : note('web app is not built', 'npm run build:web; the APIs work without it')
}

function examineModels({ config, env }: DoctorContext): Finding {
  const fixed = readFixedProviders(env, config.providers)
  const stored = readKeyFile(config.data)
  const usable = [...fixed.values()].flatMap(provider => {
    const found = effectiveProvider(provider, stored[provider.name])
    return found ? [`${provider.label} ${originOf(provider, found)}`] : []
  })
  if (usable.length === 0)
    return note(
      'no key of a model provider: the demo model answers',
      'paste one in Settings, or set ANTHROPIC_API_KEY or OPENAI_API_KEY',
    )
  const { entries, listed, discovered } = openProviderKeys({
    data: config.data,
    env,
    hosts: [],
    providers: config.providers,
  })
  const known = availableModels({ entries, listed, discovered }).length
  const what = `models by keys: ${usable.join(', ')}; ${known} known`
  return isOpenToOthers(config.data)
    ? note(`${what}; others can read ${keyFilePath(config.data)}`, 'the next start takes that from them')
    : good(what)
}

/** The source of a key, without any part of it. */
function originOf(
  { name, variable, baseVariable }: FixedProvider,
  { keys, source }: EffectiveProvider,
): string {
  if (source === 'settings') return 'from Settings'
  if (keys.length === 0) return `at ${baseVariable ?? 'its configured address'}, without a key`
  if (source === 'environment') return `from ${variable}`
  return builtInFacts(name)?.key === variable ? `from the file of ${variable}_FILE` : 'from its key file'
}

async function examineSearch(): Promise<Finding> {
  const path = await ripgrepPath()
  return path === undefined
    ? note('ripgrep is missing: Grep and Glob do not work', 'npm install')
    : good('ripgrep for Grep and Glob')
}

async function examineShell({ config, env }: DoctorContext): Promise<Finding> {
  const sandbox = await findSandbox(env['PATH'] ?? '')
  if (config.sandbox === 'off')
    return note('commands run without a sandbox, guarded by permissions alone', 'set "sandbox" to "auto"')
  if (sandbox.available) return good('commands run in a sandbox (bubblewrap)')
  const isRequired =
    config.sandbox === 'required' || (typeof config.sandbox === 'object' && config.sandbox.required)
  return isRequired
    ? note('commands are refused: they need a sandbox, and there is none', 'install bubblewrap')
    : note(
        `no sandbox for commands: ${sandbox.reason}`,
        'install bubblewrap; commands still ask for approval',
      )
}

async function examineAgentSdk({ config, env }: DoctorContext): Promise<Finding> {
  const wanted = config.engine === 'claude-agent-sdk'
  try {
    await loadAgentSdk(env['TOOLWIRE_AGENT_SDK'])
    return good('engine claude-agent-sdk can be used')
  } catch (error) {
    const mend = 'npm install @anthropic-ai/claude-agent-sdk'
    if (!wanted) return note('engine claude-agent-sdk is not installed (optional)', mend)
    return bad(error instanceof Error ? error.message : String(error), mend)
  }
}

/** The folder itself, or the one above it that exists. */
function nearestFolder(path: string): string {
  let folder = path
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
