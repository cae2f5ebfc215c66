/** The software bill of materials of a release: every published package and all that is inside of its bundle. Pure. */
import { createHash } from 'node:crypto'
import type { Shipped } from './shipped-dependencies.ts'

interface Release {
  readonly version: string
  /** Names of the published packages, with the dependencies that each installs. */
  readonly packages: readonly {
    readonly name: string
    readonly dependencies: Readonly<Record<string, string>>
  }[]
  /** Shipped inside of the bundle or beside it. */
  readonly shipped: readonly Shipped[]
  /** Seconds since 1970; of the commit, so that the same commit gives the same text. */
  readonly time: number
}

/** A CycloneDX 1.5 document. Equal inputs give equal text. */
export function createSbom({ version, packages, shipped, time }: Release): string {
  const own = packages.map(({ name }) => component({ name, version, licence: 'MIT' }))
  const others = shipped.map(component)
  const components = [...own, ...others].sort((a, b) => (a.purl < b.purl ? -1 : 1))
  const refs = new Map(components.map(({ name, version: at, purl }) => [`${name}@${at}`, purl]))
  const dependencies = packages.map(({ name, dependencies: needed }) => ({
    ref: purlOf({ name, version }),
    dependsOn: Object.entries(needed)
      .flatMap(([other, at]) => refs.get(`${other}@${at}`) ?? [])
      .sort(),
  }))
  const bundle = {
    ref: purlOf({ name: 'toolwire', version }),
    dependsOn: others.map(({ purl }) => purl).sort(),
  }
  const body = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: { ...component({ name: 'toolwire', version, licence: 'MIT' }), type: 'application' },
    },
    components,
    dependencies: [...dependencies.filter(({ ref }) => ref !== bundle.ref), bundle],
  }
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  return `${JSON.stringify({ ...body, serialNumber: `urn:uuid:${toUuid(digest)}` }, null, 2)}\n`
}

const purlOf = ({ name, version }: Pick<Shipped, 'name' | 'version'>): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

function component({ name, version, licence }: Omit<Shipped, 'folder'>) {
  const purl = purlOf({ name, version })
  const licenses = /^[A-Za-z0-9.-]+$/.test(licence)
    ? [{ license: { id: licence } }]
    : [{ expression: licence }]
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses }
}

/** A version 5 UUID of the content. */
function toUuid(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(18, 20),
    hex.slice(20, 32),
  ].join('-')
}
