/** The deployment examples are well-formed, run the published package, and keep what they claim. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { ROOT } from '../root.ts'

const read = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')) as {
  readonly version: string
}
/** Of `TOOLWIRE_DRAIN_MS`, unless a file sets it. */
const DRAIN_S = 10

test('the examples run the published package and name only variables that it reads', () => {
  const config = readFileSync(join(ROOT, 'packages/cli/src/config.ts'), 'utf8')
  expect(config).toMatch(new RegExp(`drainMs: .*default\\(${DRAIN_S}_000\\)`))
  for (const name of ['compose.yaml', 'toolwire@.service', 'Dockerfile', 'kubernetes.yaml']) {
    const text = read(name)
    expect(text, name).not.toMatch(/toolwire-source|packages\/cli|main\.ts/)
    for (const [variable] of text.matchAll(/\bTOOLWIRE_(?!VERSION)[A-Z_]+\b/g))
      expect(config, `${name} names ${variable}`).toContain(`'${variable}'`)
  }
})

test('the balancers pass event streams unbuffered and know both servers', () => {
  const nginx = read('nginx.conf')
  for (const line of ['proxy_buffering off', 'proxy_http_version 1.1', 'proxy_set_header Host $http_host'])
    expect(nginx).toContain(line)
  expect(nginx.match(/server toolwire(-2)?:8000/g)).toHaveLength(2)
  expect(nginx.split('{')).toHaveLength(nginx.split('}').length)
  expect(read('Caddyfile')).toContain('flush_interval -1')
})

test('the Dockerfile installs the published version and runs it as another user than root', () => {
  const text = read('Dockerfile')
  const lines = text.replaceAll('\\\n', '').split('\n')
  const valuesOf = (word: string) =>
    lines.filter(line => line.startsWith(`${word} `)).map(line => line.slice(word.length + 1))
  expect(valuesOf('FROM')).toHaveLength(2)
  expect(valuesOf('ARG')).toEqual(['NODE_IMAGE=node:24-slim', `TOOLWIRE_VERSION=${version}`])
  expect(valuesOf('RUN').join('\n')).toMatch(
    /npm install .*--ignore-scripts.*toolwire@\$\{TOOLWIRE_VERSION\}/,
  )
  for (const needed of ['bubblewrap', 'git']) expect(valuesOf('RUN').join('\n')).toContain(` ${needed}`)
  expect(valuesOf('USER')).toEqual(['10001:10001'])
  expect(valuesOf('VOLUME')).toEqual(['["/data", "/workspace"]'])
  expect(valuesOf('STOPSIGNAL')).toEqual(['SIGTERM'])
  // The exec form: the server itself gets the signal.
  for (const word of ['ENTRYPOINT', 'CMD']) expect(JSON.parse(valuesOf(word)[0] ?? '')).toBeInstanceOf(Array)
  expect(text).toMatch(/HEALTHCHECK [\s\S]*"node", "-e", "fetch\('http:\/\/127\.0\.0\.1:8000\/healthz'\)/)
  // Nothing of the image is written after the user has changed: its root may be read-only.
  expect(text.slice(text.indexOf('\nUSER '))).not.toMatch(/^(RUN|COPY|ADD) /m)
})

const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string().regex(/^[\w./-]+:[\w.]+$/),
      volumes: z.array(z.string()).default([]),
      depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).default([]),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
})

test('the compose file names only services, volumes and files that are there, and lets nothing gain rights', () => {
  const { services, volumes } = Compose.parse(parse(read('compose.yaml'), { merge: true }))
  expect(Object.keys(services)).toEqual(['database', 'toolwire', 'toolwire-2', 'nginx'])
  expect(services['toolwire-2']).toEqual(services['toolwire'])
  for (const { depends_on: needed, volumes: mounts } of Object.values(services)) {
    for (const name of Array.isArray(needed) ? needed : Object.keys(needed))
      expect(services).toHaveProperty(name)
    for (const mount of mounts) {
      const [from = ''] = mount.split(':')
      if (from.startsWith('.')) expect(existsSync(join(ROOT, 'deploy', from))).toBe(true)
      else expect(volumes).toHaveProperty(from)
    }
  }
  const server = services['toolwire']
  expect(server).toMatchObject({
    image: `toolwire:${version}`,
    read_only: true,
    tmpfs: ['/tmp'],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  })
  expect(Number.parseInt(String(server?.['stop_grace_period']), 10)).toBeGreaterThan(DRAIN_S)
  const upstreams = [...read('nginx.conf').matchAll(/server (toolwire[\w-]*):/g)].map(([, name]) => name)
  for (const name of upstreams) expect(services).toHaveProperty(name ?? '')
})

test('the service for systemd gives the server more time than it drains', () => {
  const text = read('toolwire@.service')
  expect(text).toContain('ExecStart=/opt/toolwire/node_modules/.bin/toolwire start --port %i')
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(DRAIN_S)
})

const Probe = z.object({
  httpGet: z.object({
    path: z.string(),
    port: z.literal('http'),
    httpHeaders: z.tuple([z.object({ name: z.literal('Host'), value: z.literal('localhost') })]),
  }),
})
const Labels = z.object({ app: z.literal('toolwire') })
const Deployment = z.object({
  apiVersion: z.literal('apps/v1'),
  spec: z.object({
    replicas: z.number().min(2),
    selector: z.object({ matchLabels: Labels }),
    template: z.object({
      metadata: z.object({ labels: Labels }),
      spec: z.object({
        automountServiceAccountToken: z.literal(false),
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({
          runAsNonRoot: z.literal(true),
          runAsUser: z.literal(10001),
          fsGroup: z.literal(10001),
        }),
        containers: z.tuple([
          z.object({
            image: z.literal(`toolwire:${version}`),
            ports: z.tuple([z.object({ name: z.literal('http'), containerPort: z.literal(8000) })]),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            startupProbe: Probe,
            livenessProbe: Probe,
            readinessProbe: Probe,
            securityContext: z.object({
              allowPrivilegeEscalation: z.literal(false),
              readOnlyRootFilesystem: z.literal(true),
              capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
            }),
            volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
})

test('the Kubernetes manifests are whole: probes, grace, disruption budget, no root, a read-only root', () => {
  const documents = parseAllDocuments(read('kubernetes.yaml'))
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
  const objects = documents.map(document => document.toJS() as { kind: string; metadata: { name: string } })
  const find = (kind: string, name = 'toolwire') =>
    objects.find(one => one.kind === kind && one.metadata.name === name) as unknown
  const { spec } = Deployment.parse(find('Deployment')).spec.template
  const [container] = spec.containers
  expect(container.livenessProbe.httpGet.path).toBe('/healthz')
  expect(container.readinessProbe.httpGet.path).toBe('/readyz')
  const drain = Number(container.env.find(({ name }) => name === 'TOOLWIRE_DRAIN_MS')?.value)
  expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(drain)
  // Every mount has its volume, and every claim is among the objects.
  const volumes = new Map(spec.volumes.map(volume => [volume.name, volume]))
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/workspace', '/tmp'])
  for (const { name } of container.volumeMounts) expect(volumes.has(name)).toBe(true)
  for (const { persistentVolumeClaim } of volumes.values())
    if (persistentVolumeClaim)
      expect(
        find('PersistentVolumeClaim', (persistentVolumeClaim as { claimName: string }).claimName),
      ).toMatchObject({
        spec: { accessModes: ['ReadWriteMany'] },
      })
  expect(find('PodDisruptionBudget')).toMatchObject({
    apiVersion: 'policy/v1',
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'toolwire' } } },
  })
  expect(find('Service')).toMatchObject({
    spec: { selector: { app: 'toolwire' }, ports: [{ targetPort: 'http' }] },
  })
})
