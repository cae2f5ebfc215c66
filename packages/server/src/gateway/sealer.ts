/**
 * Seals text that clients carry for the server: no client can read or change it, and it opens for the same owner
 * alone, on every server of the group. Equal texts give equal results, so that a response reads the same every time.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import type { Records } from '@toolwire/core'
import { loadGroupSecret } from '../access/group-secret.ts'

export interface Sealer {
  readonly seal: (owner: string, text: string) => string
  /** Undefined for text that was changed, or sealed with another key or for another owner. */
  readonly open: (owner: string, sealed: string) => string | undefined
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const FORMAT = 'tw1'
const MAX_SEALED = 8_000_000

interface Key {
  readonly id: string
  readonly encryption: Buffer
  readonly nonces: Buffer
}

/** The first secret seals; all of them open, so that secrets can be replaced one after the other. */
export function createSealer(secrets: readonly string[]): Sealer {
  const keys = secrets.map(toKey)
  const [first] = keys
  if (!first) throw new Error('A sealer needs a secret.')
  return {
    seal(owner, text) {
      const data = Buffer.from(text, 'utf8')
      const bound = Buffer.from(owner, 'utf8')
      const nonce = createHmac('sha256', first.nonces).update(bound).update('\0').update(data).digest()
      const cipher = createCipheriv(ALGORITHM, first.encryption, nonce.subarray(0, NONCE_BYTES))
      cipher.setAAD(bound)
      const body = [cipher.update(data), cipher.final()]
      const whole = Buffer.concat([nonce.subarray(0, NONCE_BYTES), ...body, cipher.getAuthTag()])
      return `${FORMAT}.${first.id}.${whole.toString('base64url')}`
    },
    open(owner, sealed) {
      if (sealed.length > MAX_SEALED) return undefined
      const [format, id, data = ''] = sealed.split('.', 3)
      const key = format === FORMAT ? keys.find(one => one.id === id) : undefined
      const bytes = Buffer.from(data, 'base64url')
      return key && bytes.toString('base64url') === data ? decrypt(key, owner, bytes) : undefined
    },
  }
}

function toKey(secret: string): Key {
  const derive = (use: string): Buffer => createHmac('sha256', secret).update(use).digest()
  return {
    id: createHash('sha256').update(derive('id')).digest('hex').slice(0, 8),
    encryption: derive('encryption'),
    nonces: derive('nonces'),
  }
}

function decrypt(key: Key, owner: string, data: Buffer): string | undefined {
  if (data.length < NONCE_BYTES + TAG_BYTES) return undefined
  try {
    const cipher = createDecipheriv(ALGORITHM, key.encryption, data.subarray(0, NONCE_BYTES))
    cipher.setAAD(Buffer.from(owner, 'utf8'))
    cipher.setAuthTag(data.subarray(-TAG_BYTES))
    const text = [cipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]
    return Buffer.concat(text).toString('utf8')
  } catch {
    return undefined
  }
}

const KIND = 'gateway_secret'
const ID = 'seal'

/** The secrets of the configuration; without any, one that the group's servers share through their records. */
export function createSealerSource(
  records: Pick<Records, 'update'>,
  secrets: readonly string[],
): () => Promise<Sealer> {
  let sealer: Promise<Sealer> | undefined
  async function load(): Promise<Sealer> {
    if (secrets.length > 0) return createSealer(secrets)
    return createSealer([await loadGroupSecret(records, KIND, ID)])
  }
  return async () => {
    sealer ??= load()
    return await sealer.catch(error => {
      sealer = undefined
      throw error
    })
  }
}
