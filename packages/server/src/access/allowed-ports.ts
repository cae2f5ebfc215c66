/** The models of the server as the request's principal may use them: no other is listed, and none is taken. */
import { AppError, isAllowedModel } from '@toolwire/core'
import type { ServerPorts } from '../ports.ts'
import { findPrincipal } from './principal.ts'

/** Without a request there is no principal, and every model is allowed. */
export function limitModels(ports: ServerPorts): ServerPorts {
  const isAllowed = (id: string): boolean => isAllowedModel(findPrincipal()?.models, id)
  return {
    ...ports,
    isAllowedModel: isAllowed,
    listModels: () => ports.listModels().filter(isAllowed),
    checkModel(id) {
      if (!isAllowed(id))
        throw new AppError('forbidden', `This key does not allow the model ${JSON.stringify(id)}.`)
      ports.checkModel(id)
    },
  }
}
