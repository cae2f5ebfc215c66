/** GET /v1/models/:id: every id that a request may name. */
import { AppError } from '@toolwire/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from './gateway-server.ts'

let gateway: Gateway
beforeEach(async () => {
  const usable = ['gpt-5', 'openai/gpt-5', 'openai/gpt-unlisted', 'openai/org/model']
  const config = {
    listModels: () => ['demo', 'gpt-5'],
    checkModel(id: string) {
      if (!usable.includes(id)) throw new AppError('unknown_model', `No model has the id "${id}".`)
    },
  }
  gateway = await startGateway({ config })
})
afterEach(() => gateway.close())

test.each(['demo', 'gpt-5', 'openai/gpt-5', 'openai/gpt-unlisted', 'openai/org/model'])(
  'finds %s through both clients, which escape the slash',
  async id => {
    expect(await gateway.openai.models.retrieve(id)).toMatchObject({ id, object: 'model' })
    expect(await gateway.anthropic.models.retrieve(id)).toMatchObject({ id, type: 'model' })
    expect(await gateway.get(`/v1/models/${id}`)).toMatchObject({ id })
  },
)

test.each(['none', 'openai/none', 'openai%252Fgpt-5'])('does not find %s', async id => {
  expect(await gateway.get(`/v1/models/${encodeURIComponent(id)}`)).toMatchObject({
    error: { code: 'model_not_found' },
  })
})

test('codex, which asks with its version, also gets an empty list in its own form', async () => {
  const plain = await gateway.get('/v1/models')
  expect(plain).not.toHaveProperty('models')
  expect(await gateway.get('/v1/models?client_version=0.169.0')).toEqual({ ...plain, models: [] })
})
