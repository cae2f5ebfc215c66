/**
 * An account through a company's directory: the directory's assertion about a user is exchanged there for a grant,
 * and that, at the server's authorization server, for a token. No user is asked.
 */
import { CrossAppAccessProvider, requestJwtAuthorizationGrant } from '@modelcontextprotocol/client'
import { createServerFetch } from '../server-fetch.ts'

interface CompanyAccount {
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  /** The server that is signed in at: it decides which addresses may be reached. */
  readonly url: string
  readonly directory: {
    readonly tokenEndpoint: string
    readonly clientId: string
    readonly clientSecret?: string | undefined
    /** The directory's assertion about the user. */
    readonly idToken: string
  }
}

/** Its tokens live as long as the process. */
export function createCompanyAccount(account: CompanyAccount): CrossAppAccessProvider {
  const { clientId, clientSecret, directory, url } = account
  return new CrossAppAccessProvider({
    clientId,
    clientSecret,
    clientName: 'Toolwire',
    fetchFn: createServerFetch(url),
    async assertion({ authorizationServerUrl, resourceUrl, scope = account.scope }) {
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint: directory.tokenEndpoint,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: directory.idToken,
        clientId: directory.clientId,
        ...(directory.clientSecret === undefined ? {} : { clientSecret: directory.clientSecret }),
        ...(scope === undefined ? {} : { scope }),
        fetchFn: createServerFetch(directory.tokenEndpoint),
      })
      return jwtAuthGrant
    },
  })
}
