/** Work that can be counted, for tests that something is linear: unlike time it is the same on every machine. */

/** Characters that anything in this process gives to JSON, gets from it, or looks at one by one while `work` runs. */
export async function countWork<T>(
  work: () => Promise<T>,
): Promise<{ readonly chars: number; readonly result: T }> {
  const { parse, stringify } = JSON
  const { charAt, charCodeAt } = String.prototype
  let chars = 0
  Object.assign(JSON, {
    parse(...args: Parameters<typeof parse>) {
      chars += args[0].length
      return parse(...args)
    },
    stringify(...args: Parameters<typeof stringify>) {
      const text: string | undefined = stringify(...args)
      chars += text?.length ?? 0
      return text
    },
  })
  Object.assign(String.prototype, {
    charAt(this: string, at: number) {
      chars += 1
      return charAt.call(this, at)
    },
    charCodeAt(this: string, at: number) {
      chars += 1
      return charCodeAt.call(this, at)
    },
  })
  try {
    const result = await work()
    return { result, chars }
  } finally {
    Object.assign(JSON, { parse, stringify })
    Object.assign(String.prototype, { charAt, charCodeAt })
  }
}
