/**
 * A local server as a child process that speaks lines of JSON. It leads a separate process group, and its
 * descendants end with it: first its input is closed, then it is asked to end, then killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio'
import { identify, killAll, type ProcessId, TOKEN_VARIABLE } from '@toolwire/tools/internal'
import { MAX_MESSAGE_BYTES } from './bounded-fetch.ts'
import { createLineReader } from './line-reader.ts'
import type { McpServerConfig } from './server-config.ts'
import type { StartedServers } from './started-servers.ts'

/** Time that a server has to end by itself once its input is closed. */
const GRACE_MS = 1_000

export interface StdioOptions {
  readonly config: Extract<McpServerConfig, { readonly type: 'stdio' }>
  readonly onErrorOutput: (text: string) => void
  /** Remembers processes, so that a crash of ours leaves none behind for long. */
  readonly started?: StartedServers | undefined
}

/** The field by which the client recognizes a local server. */
export type StdioTransport = Transport & { readonly pid: number | null; readonly stderr: null }

/** Not started yet. `close` is idempotent and resolves when no process of it is left. */
export function createStdioTransport({ config, onErrorOutput, started }: StdioOptions): StdioTransport {
  const token = randomUUID()
  const lines = createLineReader(MAX_MESSAGE_BYTES)
  let child: ChildProcess | undefined
  let leader: Promise<ProcessId> | undefined
  let closing: Promise<void> | undefined

  const transport: StdioTransport & { pid: number | null } = {
    pid: null,
    stderr: null,
    start,
    send,
    close: () => {
      closing ??= end()
      return closing
    },
  }

  function start(): Promise<void> {
    return new Promise((resolve, reject) => {
      // Not our own environment: that holds keys.
      const env = { ...getDefaultEnvironment(), ...config.env, [TOKEN_VARIABLE]: token }
      const { command, args, cwd } = config
      child = spawn(command, [...args], { env, stdio: 'pipe', detached: true, windowsHide: true, cwd })
      child.once('error', error => {
        reject(error)
        transport.onerror?.(error)
      })
      child.once('spawn', () => {
        transport.pid = child?.pid ?? null
        if (child?.pid !== undefined) leader = identify(child.pid)
        void started?.add(token, child?.pid)
        resolve()
      })
      // Not `close`: a grandchild that holds the pipes must not hide that the server is gone.
      child.once('exit', () => void transport.close())
      child.stdin?.on('error', error => transport.onerror?.(error))
      child.stdout?.on('error', error => transport.onerror?.(error))
      child.stderr?.on('data', (chunk: Buffer) => onErrorOutput(chunk.toString('utf8')))
      child.stdout?.on('data', read)
    })
  }

  function read(chunk: Buffer): void {
    if (closing) return
    try {
      for (const line of lines.add(chunk)) receive(line)
    } catch (error) {
      // The only way for the reason to reach a caller who asks why the server disconnected.
      onErrorOutput(`${(error as Error).message}\n`)
      transport.onerror?.(error as Error)
      void transport.close()
    }
  }

  /** One bad line is not the end of the conversation. */
  function receive(line: string): void {
    try {
      transport.onmessage?.(deserializeMessage(line))
    } catch (error) {
      transport.onerror?.(error as Error)
    }
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    const stdin = child?.stdin
    if (closing || !stdin?.writable) throw new Error('The server is not running.')
    if (!stdin.write(serializeMessage(message)))
      await new Promise<void>(resolve => {
        const go = (): void => {
          stdin.off('drain', go).off('close', go)
          resolve()
        }
        stdin.on('drain', go).on('close', go)
      })
  }

  async function end(): Promise<void> {
    const server = child
    if (server?.pid === undefined) return transport.onclose?.()
    const exited = new Promise<void>(resolve => {
      if (server.exitCode !== null || server.signalCode !== null) resolve()
      else server.once('exit', () => resolve())
    })
    server.stdin?.end()
    const patience = new AbortController()
    await Promise.race([exited, delay(GRACE_MS, undefined, { signal: patience.signal }).catch(() => {})])
    patience.abort()
    await killAll(await leader, token)
    server.stdout?.destroy()
    server.stderr?.destroy()
    await started?.remove(token)
    transport.onclose?.()
  }

  return transport
}
