import type { ClaimedSession, SessionLog } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createLease } from '../../src/loop/lease.ts'

/** A log that only claims, and a manual clock. */
function stage(shared = true) {
  const asked: { readonly node: string; readonly ttlMs: number; readonly known?: readonly string[] }[] = []
  let now = 0
  let takes = 0
  let answer: () => Promise<readonly ClaimedSession[]> = async () => []
  const log = {
    claim: async (request: { readonly node: string; readonly ttlMs: number }) => {
      asked.push(request)
      now += takes
      return await answer()
    },
  } as unknown as SessionLog
  const lease = createLease({
    log,
    node: 'n',
    leaseMs: 1000,
    shared,
    known: () => ['mine'],
    monotonic: () => now,
  })
  return {
    lease,
    asked,
    pass: (ms: number) => {
      now += ms
    },
    claimTakes: (ms: number) => {
      takes = ms
    },
    fail: () => {
      answer = () => Promise.reject(new Error('away'))
    },
    recover: () => {
      answer = async () => []
    },
  }
}

test('a right is over after four fifths of its time without an answered claim', async () => {
  const { lease, pass } = stage()
  const { hold } = await lease.claim({ max: 1 })
  pass(799)
  lease.check()
  expect([hold.isCurrent(), hold.signal.aborted]).toEqual([true, false])
  pass(1)
  expect(hold.isCurrent()).toBe(false)
  lease.check()
  expect(hold.signal.aborted).toBe(true)
})

test('after a claim that failed, looks for work ask for what it may have given, for as long as a lease', async () => {
  const { lease, asked, fail, recover, pass } = stage()
  await lease.claim({ max: 1 })
  fail()
  await expect(lease.claim({ max: 1, session: 'a' })).rejects.toThrow('away')
  recover()
  await lease.claim({ max: 1, session: 'b' })
  await lease.claim({ max: 1 })
  pass(500)
  await lease.claim({ max: 1 })
  pass(500)
  await lease.claim({ max: 1 })
  expect(asked.map(one => one.known)).toEqual([
    undefined,
    undefined,
    undefined,
    ['mine'],
    ['mine'],
    undefined,
  ])
})

test('every answered claim renews it, counted from the moment of asking', async () => {
  const { lease, pass, claimTakes } = stage()
  const { hold } = await lease.claim({ max: 1 })
  pass(700)
  claimTakes(500)
  await lease.claim({ max: 1 })
  expect(hold.isCurrent()).toBe(false)
  const other = stage()
  const first = await other.lease.claim({ max: 1 })
  other.pass(700)
  await other.lease.claim({ max: 1 })
  other.pass(700)
  expect(first.hold.isCurrent()).toBe(true)
})

test('a claim that fails renews nothing', async () => {
  const { lease, pass, fail } = stage()
  const { hold } = await lease.claim({ max: 1 })
  pass(500)
  fail()
  await expect(lease.claim({ max: 1 })).rejects.toThrow('away')
  pass(300)
  expect(hold.isCurrent()).toBe(false)
})

test('a node whose lease has expired continues under a new id, and its old lease never comes back', async () => {
  const { lease, asked, pass } = stage()
  const { hold } = await lease.claim({ max: 1 })
  pass(5000)
  const again = await lease.claim({ max: 1 })
  expect(asked.map(request => request.node)).toEqual(['n', 'n.2'])
  expect([hold.isCurrent(), hold.signal.aborted, again.hold.isCurrent()]).toEqual([false, true, true])
})

test('without other processes a right has no end', async () => {
  const { lease, pass } = stage(false)
  const { hold } = await lease.claim({ max: 1 })
  pass(1_000_000)
  lease.check()
  expect(hold.isCurrent()).toBe(true)
})

test('releasing notifies the log at once and stops the work under it', async () => {
  const { lease, asked } = stage()
  const { hold } = await lease.claim({ max: 1 })
  await lease.end()
  expect(asked.at(-1)).toMatchObject({ node: 'n', ttlMs: 0 })
  expect(hold.signal.aborted).toBe(true)
})
