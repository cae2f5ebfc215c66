/**
 * A model that says again what a recording holds: the true bytes go through the true stream
 * reader of their API, so a golden test covers everything but the network. Deterministic.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Model, ModelPart } from '@toolwire/core'
import { createAnthropicModel } from '../anthropic/model.ts'
import { createOpenAiChatModel } from '../openai-chat/model.ts'
import { toFailure } from '../shared/failure.ts'
import { isObject } from '../shared/json.ts'
import { parseRecording, type Recording } from './recording.ts'

/**
 * `path` is a recording, or a folder of them that are played in the order of their names, one per
 * request, beginning again after the last. Files are read when needed; a missing one is an error part.
 */
export function createReplayModel(path: string): Model {
  let turn = 0
  return {
    provider: 'replay',
    id: `replay:${path}`,
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
  if (!isFolder) return parseRecording(await readFile(path, 'utf8'))
  const files = (await readdir(path)).filter(name => name.endsWith('.json')).sort()
  const file = files[turn % Math.max(1, files.length)]
  return file === undefined ? undefined : parseRecording(await readFile(join(path, file), 'utf8'))
}

function play(recording: Recording): Model {
  const { body, url } = recording.request
  const model = isObject(body) && typeof body['model'] === 'string' ? body['model'] : 'replay'
  const options = { model, apiKey: 'replay', fetch: replayFetch(recording), retry: { maxRetries: 0 } }
  return url.endsWith('/messages') ? createAnthropicModel(options) : createOpenAiChatModel(options)
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
