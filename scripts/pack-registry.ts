/** A registry with the packed packages, and the environment in which npm asks it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { openRegistry } from './local-registry.ts'
import { npmEnvironment, type PackedPackage } from './stage-packages.ts'

interface PackRegistry {
  readonly env: NodeJS.ProcessEnv
  readonly close: () => Promise<void>
}

export async function openPackRegistry(packages: readonly PackedPackage[]): Promise<PackRegistry> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], {
    env: npmEnvironment(),
    encoding: 'utf8',
  })
  const { url, close } = await openRegistry({
    packages: packages.map(({ manifest, tarball }) => ({
      manifest: { ...manifest },
      tarball: readFileSync(tarball),
    })),
    upstream: upstream.trim().replace(/\/$/, ''),
  })
  const env = {
    ...npmEnvironment(),
    npm_config_registry: url,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
    npm_config_prefer_offline: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
  }
  return { env, close }
}
