/** The environment of the child: the server's, without private variables. */

const PRIVATE = /^(TOOLWIRE_|OPENAI_|TAVILY_|DATABASE_URL$|CLAUDECODE$|CLAUDE_CODE_ENTRYPOINT$)/

/** The child may know the provider's key and address, and nothing of the server's own secrets. */
export function childEnvironment(
  from: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const kept = Object.entries(from).filter(([name, value]) => value !== undefined && !PRIVATE.test(name))
  return {
    ...Object.fromEntries(kept),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }
}
