/** The API description of a server, made when it is first read: it loads and converts every schema. */
import type { Route } from '../http/route.ts'
import type { Reference } from '../http/route-context.ts'
import type { OpenApiDocument } from './document.ts'

export function createReference(
  routes: readonly Route[],
  { version, basePath }: { readonly version: string; readonly basePath: string },
): Reference {
  let made: OpenApiDocument | undefined
  let rendered: string | undefined
  async function document(): Promise<OpenApiDocument> {
    const { createDocument } = await import('./document.ts')
    made ??= createDocument({ routes, version, basePath })
    return made
  }
  return {
    async document(version = '3.1') {
      const { toVersion } = await import('./versions.ts')
      return toVersion(await document(), version)
    },
    async page() {
      const { REFERENCE_POLICY, renderReference } = await import('./reference-page.ts')
      rendered ??= renderReference(await document())
      return { page: rendered, policy: REFERENCE_POLICY }
    },
  }
}
