/** `node --conditions=toolwire-source bench/token-check.ts`: time to find the caller behind each kind of credential. */
import { createMemoryRecords } from '@toolwire/store'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createKey } from '../packages/server/src/access/api-key.ts'
import { createCredentials } from '../packages/server/src/access/credentials.ts'
import { AuthSettings } from '../packages/server/src/access/jwt/jwt-settings.ts'
import { createJwtSignIn } from '../packages/server/src/access/jwt/jwt-sign-in.ts'

const ISSUER = 'https://login.example.com'
const ROUNDS = 5_000
const now = (): Date => new Date()
const logger = { info() {}, error() {} }

async function measure(name: string, find: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < ROUNDS / 10; i++) await find()
  const cpu = process.cpuUsage()
  for (let i = 0; i < ROUNDS; i++) if (!(await find())) throw new Error(`${name} found no caller`)
  const { user, system } = process.cpuUsage(cpu)
  console.log(`${name.padEnd(16)} ${((user + system) / ROUNDS).toFixed(1)} µs of CPU`)
}

const records = createMemoryRecords()
const credentials = createCredentials({ apiKeys: [], records, now })
const { key, record } = await createKey(
  records,
  {
    name: 'bench',
    owner: 'alice',
    scopes: ['read'],
    expires_at: null,
    requests_per_minute: null,
    concurrent: null,
    budget_usd: null,
    workspace: null,
  },
  now(),
)
await measure('API key', async () => await credentials.find(key))
const { token } = await credentials.makeToken({
  key: record.id,
  owner: 'alice',
  scopes: ['read'],
  limits: { requests_per_minute: null, concurrent: null, budget_usd: null },
  models: null,
  workspace: null,
  expires_at: Date.now() + 600_000,
})
await measure('browser token', async () => await credentials.find(token))
for (const alg of ['RS256', 'ES256', 'EdDSA']) {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg }] })
  const settings = AuthSettings.parse({ jwt: [{ issuer: ISSUER, audience: 'a', jwks: `${ISSUER}/keys` }] })
  const signIn = createJwtSignIn({ settings, readDocument: async () => jwks, logger, now })
  const jwt = await new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg, kid: 'one' })
    .setIssuer(ISSUER)
    .setAudience('a')
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(privateKey)
  await measure(`JWT ${alg}`, async () => await signIn.find(jwt))
}
