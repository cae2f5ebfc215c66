/**
 * The servers that the product is compared with. `npm run bench:peers` installs them into a folder outside
 * of the tree; those that are not there are left out. Each gets the same provider and the same load.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { completionCalls, MASTRA_CALLS, messagesCalls, UI_MESSAGE_CALLS } from './call-road.ts'
import type { Contestant } from './contestant.ts'
import {
  AI_SDK_SERVER,
  LANGGRAPH_GRAPH,
  MASTRA_SERVER,
  MUTABLE_HEADERS,
  OPENCODE_LAUNCHER,
  opencodeConfig,
} from './peer-programs.ts'
import {
  COMPLETIONS,
  LANGGRAPH,
  MASTRA,
  MESSAGES,
  OPENCODE,
  type Road,
  TRANSLATED,
  TRANSLATED_BACK,
  UI_MESSAGES,
} from './road.ts'
import { freePort, type Subject, startSubject } from './spawn-subject.ts'

interface Peer {
  readonly name: string
  /** Exact versions; the first package names the peer. */
  readonly packages: Readonly<Record<string, string>>
  readonly roads: Contestant['roads']
  /** None when absent. */
  readonly callRoads?: Contestant['callRoads']
  /** Its program has the tool `echo`; no when absent. */
  readonly runsTools?: true
  readonly slow: number
  readonly launch: (setting: Setting) => Launch
}

interface Setting {
  readonly upstream: string
  readonly port: number
  /** A separate folder; its `node_modules` are the peer's. */
  readonly folder: string
}

interface Launch {
  readonly args: readonly string[]
  /** Files that the folder must hold before. */
  readonly files: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

/** The folder of installed peers. */
export const peersFolder = (): string =>
  process.env['TOOLWIRE_BENCH_PEERS'] ?? join(homedir(), '.cache', 'toolwire-bench')

/** Portkey gets its target in every request. */
const through = (road: Road, vendor: string, upstream: string): Road => ({
  ...road,
  headers: {
    ...road.headers,
    'x-portkey-provider': vendor,
    'x-portkey-custom-host': `${upstream}/v1`,
  },
})

const router = (upstream: string, port: number): string =>
  JSON.stringify({
    LOG: false,
    HOST: '127.0.0.1',
    PORT: port,
    NON_INTERACTIVE_MODE: true,
    Providers: [
      { name: 'chat', api_base_url: `${upstream}/v1/chat/completions`, api_key: 'k', models: ['gpt-bench'] },
      {
        name: 'messages',
        api_base_url: `${upstream}/v1/messages`,
        api_key: 'k',
        models: ['claude-bench'],
        transformer: { use: ['Anthropic'] },
      },
    ],
    Router: { default: 'chat,gpt-bench' },
  })

export const PEERS: readonly Peer[] = [
  {
    name: 'portkey',
    packages: { '@portkey-ai/gateway': '1.15.2' },
    roads: upstream => [
      through(MESSAGES, 'anthropic', upstream),
      through(COMPLETIONS, 'openai', upstream),
      through(TRANSLATED, 'anthropic', upstream),
    ],
    callRoads: upstream => [
      messagesCalls(through(MESSAGES, 'anthropic', upstream)),
      completionCalls(through(COMPLETIONS, 'openai', upstream)),
      completionCalls(through(TRANSLATED, 'anthropic', upstream)),
    ],
    slow: 1,
    launch: ({ port }) => ({
      args: [
        '--import',
        './mutable-headers.mjs',
        'node_modules/@portkey-ai/gateway/build/start-server.js',
        `--port=${port}`,
        '--headless',
      ],
      files: { 'mutable-headers.mjs': MUTABLE_HEADERS },
      env: { NODE_ENV: 'production' },
    }),
  },
  {
    name: 'claude-code-router',
    // The newest that can be installed: 3.1.1 depends on a package that the registry does not have.
    packages: { '@musistudio/claude-code-router': '2.0.0' },
    roads: () => [
      { ...TRANSLATED_BACK, model: 'chat,gpt-bench' },
      { ...MESSAGES, model: 'messages,claude-bench' },
    ],
    slow: 1,
    launch: ({ upstream, port }) => ({
      args: ['node_modules/@musistudio/claude-code-router/dist/cli.js', 'start'],
      files: { '.claude-code-router/config.json': router(upstream, port) },
      env: { SERVICE_PORT: String(port) },
    }),
  },
  {
    name: 'ai-sdk',
    packages: { ai: '7.0.173', '@ai-sdk/anthropic': '4.0.104', zod: '4.6.7' },
    roads: () => [UI_MESSAGES],
    callRoads: () => [UI_MESSAGE_CALLS],
    runsTools: true,
    slow: 4,
    launch: () => ({ args: ['server.mjs'], files: { 'server.mjs': AI_SDK_SERVER } }),
  },
  {
    name: 'mastra',
    packages: {
      '@mastra/core': '1.71.0',
      '@mastra/hono': '1.7.9',
      hono: '4.13.17',
      '@hono/node-server': '1.19.18',
      '@ai-sdk/anthropic': '4.0.79',
      zod: '4.6.7',
    },
    roads: () => [MASTRA],
    callRoads: () => [MASTRA_CALLS],
    runsTools: true,
    slow: 8,
    launch: () => ({
      args: ['server.mjs'],
      files: { 'server.mjs': MASTRA_SERVER },
      env: { MASTRA_TELEMETRY_DISABLED: '1' },
    }),
  },
  {
    name: 'langgraph',
    packages: {
      '@langchain/langgraph': '1.4.18',
      '@langchain/langgraph-cli': '2.0.0',
      '@langchain/anthropic': '1.5.11',
      '@langchain/core': '1.2.13',
      zod: '4.6.7',
    },
    roads: () => [LANGGRAPH],
    runsTools: true,
    slow: 16,
    launch: ({ port }) => ({
      args: [
        'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs',
        'dev',
        '--no-browser',
        '--port',
        String(port),
        '--host',
        '127.0.0.1',
        '-n',
        '1000',
      ],
      files: {
        'graph.mjs': LANGGRAPH_GRAPH,
        'package.json': '{"name":"bench","private":true,"type":"module"}',
        'langgraph.json': '{"graphs":{"agent":"./graph.mjs:graph"},"dependencies":["."],"node_version":"22"}',
      },
      env: { LANGSMITH_TRACING: 'false', LANGGRAPH_CLI_NO_ANALYTICS: '1' },
    }),
  },
  {
    name: 'opencode',
    packages: { 'opencode-ai': '1.18.33' },
    roads: () => [OPENCODE],
    slow: 32,
    launch: ({ upstream }) => ({
      args: ['launch.mjs'],
      files: { 'launch.mjs': OPENCODE_LAUNCHER, 'opencode.json': opencodeConfig(upstream) },
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    }),
  },
]

/** Clients of others, for the cost of reading what a server sends. */
export const CLIENTS: Pick<Peer, 'name' | 'packages'> = {
  name: 'clients',
  packages: { ai: '7.0.173', '@ag-ui/client': '1.0.0', '@ag-ui/core': '1.0.0' },
}

/** Those of `PEERS` that are installed. */
export const findPeers = (): readonly Contestant[] =>
  PEERS.filter(peer => versionOf(peer) !== undefined).map(peer => ({
    name: peer.name,
    version: versionOf(peer) ?? '',
    roads: peer.roads,
    callRoads: peer.callRoads ?? (() => []),
    runsTools: peer.runsTools ?? false,
    slow: peer.slow,
    durable: false,
    start: upstream => startPeer(peer, upstream),
  }))

async function startPeer(peer: Peer, upstream: string): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  symlinkSync(join(peersFolder(), peer.name, 'node_modules'), join(folder, 'node_modules'))
  const port = await freePort()
  const { args, files, env } = peer.launch({ upstream, port, folder })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return await startSubject({
    args,
    port,
    cwd: folder,
    env: { UPSTREAM: upstream, PORT: String(port), ...env },
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  })
}

const versionOf = (peer: Peer): string | undefined =>
  installedVersion(peer.name, Object.keys(peer.packages)[0] ?? '')

/** Of a package in the folder of a peer; undefined when it is not there. */
export function installedVersion(peer: string, name: string): string | undefined {
  const file = join(peersFolder(), peer, 'node_modules', name, 'package.json')
  if (!existsSync(file)) return undefined
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
