/** The setting `providers`: named providers of models, as the configuration file holds them. */
import { PROVIDER_APIS, PROVIDER_AUTHS } from '@toolwire/models'
import { isSecretVariable } from '@toolwire/tools'
import { z } from 'zod'

const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/
const RESERVED: ReadonlySet<string> = new Set(['demo', 'replay'])
/** Providers that exist without an entry; their API and address are known. */
const BUILT_IN: ReadonlySet<string> = new Set(['anthropic', 'openai'])

export const isProviderName = (name: string): boolean => PROVIDER_NAME.test(name) && !RESERVED.has(name)

const text = z.string('must be text').min(1, 'must not be empty')
const VARIABLE_HINT =
  'must be the name of an environment variable such as MISTRAL_API_KEY, with KEY, TOKEN or SECRET in it, never the key itself'
/** Such variables are hidden from commands that tools run. */
const variable = z
  .string(VARIABLE_HINT)
  .regex(/^[A-Z_][A-Z0-9_]{0,127}$/, VARIABLE_HINT)
  .refine(name => isSecretVariable(name, ''), VARIABLE_HINT)
const keySource = z.union([variable, z.strictObject({ file: text })], VARIABLE_HINT)
const fixedValue = z.union([z.string(), z.strictObject({ env: variable })], 'must be text or {"env": "NAME"}')

const dollars = z.number('must be a number of dollars').min(0, 'must not be negative')
const rates = {
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
  cache_write_1h: dollars.optional(),
  cache_write_12h: dollars.optional(),
}
const tokens = z.number('must be a number').int('must be a whole number').min(1, 'must be at least 1')
export const PriceSetting = z.strictObject(
  { ...rates, above: z.strictObject({ prompt_tokens: tokens, ...rates }).optional() },
  'must hold input and output, in dollars per million tokens',
)

const modelSettings = z.strictObject({
  upstream: text.optional(),
  context: tokens.optional(),
  max_output: tokens.optional(),
  tools: z.boolean().optional(),
  images: z.boolean().optional(),
  effort: z.boolean().optional(),
  strict: z.boolean().optional(),
  web_search: z.enum(['provider', 'server'], 'must be provider or server').optional(),
  api: z.enum(PROVIDER_APIS).exclude(['ai-sdk']).optional(),
})

const providerSettings = z.strictObject({
  /** The API that the provider speaks. */
  api: z.enum(PROVIDER_APIS, `must be one of ${PROVIDER_APIS.join(', ')}`).optional(),
  /** With its version, as the vendor's client takes it; without `/v1` for the API `anthropic`. */
  baseUrl: text
    .regex(/^https?:\/\/[^\s@?#]+$/, 'must begin with https:// or http:// and hold no password, ? or #')
    .optional(),
  key: z
    .union([keySource.transform(one => [one]), z.array(keySource).min(1).max(32)], VARIABLE_HINT)
    .optional(),
  auth: z.enum(PROVIDER_AUTHS, `must be one of ${PROVIDER_AUTHS.join(', ')}`).optional(),
  headers: z.record(text.regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be a header'), fixedValue).optional(),
  query: z.record(text, fixedValue).optional(),
  models: z
    .union(
      [
        z.literal('discover'),
        z.array(text).transform(ids => Object.fromEntries(ids.map(id => [id, {}]))),
        z.record(text, modelSettings),
      ],
      'must be "discover", a list of ids, or an object of ids with their settings',
    )
    .optional(),
  prices: z.record(text, PriceSetting).optional(),
  /** For `ai-sdk`: `file.mjs#name`, a function that makes the language model of an id. */
  module: text.optional(),
  /** Models that are asked after those of this provider, in place of `fallbackModels`. */
  fallbacks: z.array(text).max(8, 'must name at most 8 models').optional(),
  /** Its share of the sessions of an alias. */
  weight: z
    .number('must be a number')
    .positive('must be above 0')
    .max(1000, 'must be at most 1000')
    .optional(),
  retries: z.number('must be a number').int().min(0).max(10).optional(),
  silenceMs: tokens.optional(),
})
export type ProviderSettings = z.infer<typeof providerSettings>

export const ProvidersSetting = z
  .record(z.string(), providerSettings, 'must be an object of providers by name')
  .superRefine(checkEntries)

const ALIAS_HINT = 'must be an object of aliases, each with a list of 1 to 16 ids of models'
const ALIAS_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** The setting `aliases`: names of several models each. */
export const AliasesSetting = z
  .record(z.string(), z.array(text, ALIAS_HINT).min(1, ALIAS_HINT).max(16, ALIAS_HINT), ALIAS_HINT)
  .superRefine((aliases, context) => {
    for (const [name, members] of Object.entries(aliases)) {
      const isLegal = ALIAS_NAME.test(name) && !RESERVED.has(name)
      const nested = members.find(member => Object.hasOwn(aliases, member))
      if (!isLegal)
        context.addIssue({
          code: 'custom',
          message: 'must have names of small letters, digits, dots and hyphens, other than demo and replay',
        })
      else if (nested !== undefined)
        context.addIssue({ code: 'custom', message: `must not hold the alias "${nested}" inside of another` })
    }
  })

function checkEntries(
  providers: Readonly<Record<string, ProviderSettings>>,
  context: z.core.$RefinementCtx,
): void {
  for (const [name, entry] of Object.entries(providers)) {
    const problem = problemOf(name, entry)
    if (problem) context.addIssue({ code: 'custom', path: [name, ...problem.path], message: problem.message })
  }
}

interface EntryProblem {
  readonly path: readonly string[]
  readonly message: string
}

function problemOf(name: string, { api, baseUrl, module }: ProviderSettings): EntryProblem | undefined {
  if (!isProviderName(name))
    return {
      path: [],
      message: 'must have a name of small letters, digits and hyphens, other than demo and replay',
    }
  if (api === 'ai-sdk') return module === undefined ? { path: ['module'], message: 'is needed' } : undefined
  if (module !== undefined) return { path: ['module'], message: 'needs "api": "ai-sdk"' }
  if (BUILT_IN.has(name)) return undefined
  if (api === undefined) return { path: ['api'], message: `is needed: one of ${PROVIDER_APIS.join(', ')}` }
  return baseUrl === undefined ? { path: ['baseUrl'], message: 'is needed' } : undefined
}
