/**
 * A model that says again what a recording holds: the true bytes go through the true stream
 * reader of their API, so a golden test covers everything but the network. Deterministic.
 */
import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Model, ModelPart } from '@toolwire/core'
import { isObject } from '@toolwire/core'
import {
  createAnthropicModel,
  createOpenAiChatModel,
  createOpenAiResponsesModel,
  isReplayId,
  REPLAY_PREFIX,
  toFailure,
} from '@toolwire/models'
import { parseRecording, type Recording } from './recording.ts'

/** Larger files are not read: a recording holds one exchange. */
const MAX_BYTES = 64 * 1024 * 1024

/** The models of those ids that name recordings, by id. */
export const replayModels = (ids: readonly string[]): Readonly<Record<string, Model>> =>
  Object.fromEntries(
    ids.filter(isReplayId).map(id => [id, createReplayModel(id.slice(REPLAY_PREFIX.length))]),
  )

/**
 * `path` is a recording, or a folder of them that are played in the order of their names, one per
 * request, beginning again after the last. Files are read when needed; a missing one is an error part.
 */
export function createReplayModel(path: string): Model {
  let turn = 0
  return {
    provider: 'replay',
    id: `${REPLAY_PREFIX}${path}`,
    async *stream(request, signal): AsyncGenerator<ModelPart, void, void> {
      const recording = await load(path, turn++).catch(() => undefined)
      if (!recording) {
        yield { type: 'error', error: toFailure('model_error', `There is no recording at ${path}.`) }
        return
      }
      yield* play(recording).stream(request, signal)
    },
  }
}

async function load(path: string, turn: number): Promise<Recording | undefined> {
  const isFolder = (await stat(path)).isDirectory()
  if (!isFolder) return parseRecording(await readText(path))
  const files = (await readdir(path)).filter(name => name.endsWith('.json')).sort()
  const file = files[turn % Math.max(1, files.length)]
  return file === undefined ? undefined : parseRecording(await readText(join(path, file)))
}

/** Throws for anything but a file of a sensible size: a device never ends, and a pipe would block. */
async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size > MAX_BYTES) throw new Error('not a recording')
    const { size } = found
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await file.read(buffer, 0, size, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function play(recording: Recording): Model {
  const { body, url } = recording.request
  const model = isObject(body) && typeof body['model'] === 'string' ? body['model'] : 'replay'
  const options = { model, apiKey: 'replay', fetch: replayFetch(recording), retry: { maxRetries: 0 } }
  if (url.endsWith('/messages')) return createAnthropicModel(options)
  return url.endsWith('/responses') ? createOpenAiResponsesModel(options) : createOpenAiChatModel(options)
}

/** Answers every request with the recording, whatever was asked. */
const replayFetch = (recording: Recording): typeof globalThis.fetch => {
  const encoder = new TextEncoder()
  return () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of recording.chunks) controller.enqueue(encoder.encode(chunk))
        if (recording.is_complete) controller.close()
      },
      pull(controller) {
        // Only here, after all pieces were read: an error at once would discard them.
        if (!recording.is_complete) controller.error(new Error('the recorded connection broke'))
      },
    })
    return Promise.resolve(new Response(body, { status: recording.status, headers: recording.headers }))
  }
}
