/**
 * A small file of secrets, encrypted with a key beside it that only its owner may read. It keeps tokens out of
 * backups, logs and searches; a reader of the key can read the file.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalPath } from '@toolwire/tools'
import { makePrivateDirectory, putFile } from '@toolwire/tools/internal'

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface SecretFile {
  /** Undefined if it is missing or cannot be decrypted: then every user signs in again. */
  readonly read: () => Promise<unknown>
  /** Replaces the whole, at once or not at all. */
  readonly write: (value: unknown) => Promise<void>
}

/** Folders and key are made when they are needed: 0700 and 0600. */
export function createSecretFile(path: string): SecretFile {
  const keyPath = join(dirname(path), 'key')
  let key: Promise<Buffer> | undefined

  async function loadKey(): Promise<Buffer> {
    makePrivateDirectory(canonicalPath(dirname(path))).close()
    const known = await readFile(keyPath).catch(() => undefined)
    if (known?.length === KEY_BYTES) return known
    const made = randomBytes(KEY_BYTES)
    // The first one decides: another process may be starting too.
    const file = await open(keyPath, 'wx', 0o600).catch(() => undefined)
    if (!file) return await readFile(keyPath)
    try {
      await file.writeFile(made)
      await file.sync()
    } finally {
      await file.close()
    }
    return made
  }

  async function keyNow(): Promise<Buffer> {
    key ??= loadKey()
    return await key.catch(error => {
      key = undefined
      throw error
    })
  }

  return {
    async read() {
      const sealed = await readFile(path).catch(() => undefined)
      if (!sealed) return undefined
      try {
        return JSON.parse(unseal(sealed, await keyNow()))
      } catch {
        return undefined
      }
    },
    async write(value) {
      await putFile(canonicalPath(path), seal(JSON.stringify(value), await keyNow()))
    },
  }
}

function seal(text: string, key: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Throws when the file was changed or belongs to another key. */
function unseal(sealed: Buffer, key: Buffer): string {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce)
  decipher.setAuthTag(tag)
  const body = sealed.subarray(NONCE_BYTES + TAG_BYTES)
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
}
