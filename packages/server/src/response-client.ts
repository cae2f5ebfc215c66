/** The client of a response that is sent as a whole. */
import type { Sink } from '@toolwire/session'
import type { FastifyReply } from 'fastify'

export const toClient = ({ raw }: FastifyReply): Pick<Sink, 'isClosed' | 'onClose'> => ({
  isClosed: () => raw.destroyed,
  onClose(listener) {
    raw.once('close', listener)
    return () => raw.off('close', listener)
  },
})
