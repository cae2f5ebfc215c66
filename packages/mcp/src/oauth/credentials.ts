/** Sign-ins by server: kept in one encrypted file, or in memory. */
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { createSecretFile } from './secret-file.ts'

/** All of one server's. */
interface Credentials {
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
  readonly discovery?: OAuthDiscoveryState | undefined
  /** A sign-in that waits for a browser. */
  readonly pending?:
    | {
        readonly state: string
        readonly verifier?: string | undefined
        readonly since: number
      }
    | undefined
}

export interface CredentialStore {
  readonly get: (server: string) => Promise<Credentials>
  /** Merges; changes of one store follow each other. Rejects when the file cannot be written. */
  readonly set: (server: string, change: Partial<Credentials>) => Promise<void>
  /** Everything known of a server is forgotten. */
  readonly remove: (server: string) => Promise<void>
}

/** With a path the file survives restarts; without one nothing does. */
export function createCredentialStore(path?: string): CredentialStore {
  const file = path === undefined ? undefined : createSecretFile(path)
  let all: Map<string, Credentials> | undefined
  let last: Promise<void> = Promise.resolve()

  async function load(): Promise<Map<string, Credentials>> {
    if (all) return all
    const stored = await file?.read()
    all ??= new Map(Object.entries((stored ?? {}) as Record<string, Credentials>))
    return all
  }

  function change(edit: (known: Map<string, Credentials>) => void): Promise<void> {
    const next = last.then(async () => {
      const known = await load()
      edit(known)
      await file?.write(Object.fromEntries(known))
    })
    last = next.catch(() => undefined)
    return next
  }

  return {
    get: async server => (await load()).get(server) ?? {},
    set: (server, patch) => change(known => known.set(server, { ...known.get(server), ...patch })),
    remove: server => change(known => known.delete(server)),
  }
}
