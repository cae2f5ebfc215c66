/** The product of the command: what the configuration says, opened as a program would, and errors as sentences. */
import type { CallHost } from '@toolwire/core'
import type { Blueprint } from './blueprint.ts'
import type { Config } from './config.ts'
import type { ProductEnvironment } from './environment.ts'
import { ExitError } from './exit.ts'
import { createInstance } from './instance.ts'
import { createLogger } from './logger.ts'
import { openData } from './open-data.ts'
import { openProduct } from './open-product.ts'
import { openRecords } from './open-records.ts'
import { secureData } from './secure-data.ts'
import { printError } from './terminal.ts'
import { WEB_ROOT } from './web-root.ts'
import { prepareWorkspace } from './workspace.ts'

export interface CommandEnvironment extends ProductEnvironment {
  readonly TOOLWIRE_LOG?: string | undefined
}

export interface Product {
  readonly url: string
  readonly model: string
  readonly workspace: string
  /** Calls of the one who runs this process. */
  readonly callHost: CallHost
  /** Stops listening, leaves runs where they are (the next start resumes them), closes the data. */
  readonly close: () => Promise<void>
}

/** Starts everything. Throws ExitError for problems that a user can fix; then nothing is left open. */
export async function compose(config: Config, env: CommandEnvironment): Promise<Product> {
  const warning = secureData(config.data)
  if (warning !== undefined) report(warning)
  const instance = createInstance({
    open: () => openProduct(toBlueprint(config, env)),
    basePath: '',
    onError: () => {},
  })
  try {
    const { model, workspace, server } = await instance.opened()
    const url = await instance.listen().catch(explainListen(config))
    return { url, model, workspace, callHost: server.operatorHost, close: instance.close }
  } catch (error) {
    await instance.close()
    throw error
  }
}

/** The parts of a start of the command; other commands open some of them. */
export function toBlueprint(config: Config, env: CommandEnvironment): Blueprint {
  return {
    config,
    env: { ...env },
    machineEnv: { ...process.env, ...env },
    async openData() {
      const store = await openData(config)
      const records = await openRecords(config).catch(async error => {
        await store.close()
        throw error
      })
      return { store, records }
    },
    openWorkspace: () => prepareWorkspace(config.workspace, config.data),
    own: () => ({ tools: [], models: {}, authenticate: undefined }),
    builtin: 'all',
    logger: createLogger(env.TOOLWIRE_LOG),
    report,
    server: { basePath: '', anyHost: false, strangers: 'any' },
    webRoot: WEB_ROOT,
    runs: true,
  }
}

const report = (sentence: string): void => printError(`toolwire: ${sentence}\n`)

function explainListen(config: Config): (error: unknown) => never {
  return error => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const at = `${config.host}:${config.port}`
    if (code === 'EADDRINUSE')
      throw new ExitError(
        'address',
        `Port ${config.port} is in use; stop the other program or choose another port with --port.`,
      )
    if (code === 'EACCES')
      throw new ExitError(
        'address',
        `Listening on ${at} is not allowed; choose a port above 1023 with --port.`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new ExitError(
        'address',
        `${config.host} is no address of this machine; choose another with --host.`,
      )
    throw error
  }
}
