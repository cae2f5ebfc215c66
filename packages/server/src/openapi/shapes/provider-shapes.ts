/** Status of model providers' keys: never a key. */
import { z } from 'zod'

const ProviderFailure = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  http_status: z.number().int().optional(),
})

export const ProviderState = z
  .object({
    provider: z.string(),
    name: z.string(),
    variable: z.string().describe('The variable of the environment that wins over what is set here.'),
    set: z.boolean().describe('Its models can be asked.'),
    source: z.enum(['environment', 'file', 'settings']).optional(),
    last4: z.string().length(4).optional().describe('The last four characters of the key that counts.'),
    base_url: z.string().optional().describe('The address that was given with the key in Settings.'),
    stored: z.boolean().describe('Something is kept in Settings, whether it counts or not.'),
    api: z.string().optional().describe('The API that it speaks; absent where host and model decide.'),
    address: z.string().optional().describe("The address that is asked, where it is not the vendor's own."),
    keys: z
      .array(
        z.object({
          last4: z.string().length(4).optional(),
          failures: z.number().int(),
          cooling_ms: z.number().describe('Milliseconds until the key is used again.'),
        }),
      )
      .optional()
      .describe('One row for each key, where it has several.'),
    models: z
      .object({ count: z.number().int(), at: z.string() })
      .optional()
      .describe('The models that it listed last.'),
    last_error: ProviderFailure.optional().describe('Its last test failed.'),
  })
  .meta({ id: 'ProviderState' })

export const ProviderList = z
  .object({
    providers: z.array(ProviderState),
    shared: z
      .boolean()
      .describe('Other servers may serve the same sessions; their keys are set at each of them.'),
  })
  .meta({ id: 'ProviderList' })

export const ProviderTested = z
  .union([
    z.object({ ok: z.literal(true), models: z.number().int().describe('Number of models that it listed.') }),
    z.object({ ok: z.literal(false), error: ProviderFailure }),
  ])
  .meta({ id: 'ProviderTested' })

export const ProviderStored = ProviderState.extend({
  test: ProviderTested.optional().describe('The result of the test that the request asked for.'),
}).meta({ id: 'ProviderStored' })
