/** A request for another version of a message. What the replaced part changed is listed before it is decided. */
import { Observable } from './observable.ts'

interface WithFiles {
  readonly files: readonly { readonly action: string }[]
}

export type VersionState<E> =
  | { readonly status: 'idle'; readonly error?: string }
  | { readonly status: 'sending' }
  /** The user decides if changed files are restored. */
  | { readonly status: 'choosing'; readonly effects: E }

/** Sends the request; `ask` lists the effects and opens nothing. */
type SendVersion<E> = (effects: 'ask' | 'keep' | 'restore') => Promise<{ readonly effects: E }>

const IDLE = { status: 'idle' } as const

export class VersionRequest<E extends WithFiles> extends Observable<VersionState<E>> {
  #send: SendVersion<E> | undefined

  constructor() {
    super(IDLE)
  }

  /** Asks for effects first. Without a changed file there is nothing to decide. True when the version was opened. */
  async start(send: SendVersion<E>): Promise<boolean> {
    if (this.getSnapshot().status !== 'idle') return false
    this.#send = send
    const asked = await this.#run(send, 'ask')
    if (!asked) return false
    if (!asked.effects.files.some(hasChanged)) return await this.choose('keep')
    this.set({ status: 'choosing', effects: asked.effects })
    return false
  }

  /** True when the version was opened. */
  async choose(effects: 'keep' | 'restore'): Promise<boolean> {
    const send = this.#send
    if (!send) return false
    const opened = await this.#run(send, effects)
    if (!opened) return false
    this.cancel()
    return true
  }

  readonly cancel = (): void => {
    this.#send = undefined
    this.set(IDLE)
  }

  async #run(send: SendVersion<E>, effects: 'ask' | 'keep' | 'restore') {
    this.set({ status: 'sending' })
    try {
      return await send(effects)
    } catch (thrown) {
      this.#send = undefined
      this.set({ status: 'idle', error: thrown instanceof Error ? thrown.message : String(thrown) })
      return undefined
    }
  }
}

const hasChanged = ({ action }: WithFiles['files'][number]): boolean => action !== 'unchanged'
