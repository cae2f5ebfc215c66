/**
 * The model of a run by the id that it names. An alias names several models: a session stays with one of them, by the
 * weights of their providers, and the others are asked after it. Pure but for the list of providers.
 */
import { createHash } from 'node:crypto'
import type { ModelChooser } from '@toolwire/core'
import { splitModelId } from '../finder.ts'
import { type ProviderEntry, settingsOf } from './provider-entry.ts'

export type Aliases = Readonly<Record<string, readonly string[]>>

export function createModelChooser(
  aliases: Aliases,
  providers: () => readonly ProviderEntry[],
): ModelChooser {
  const entryOf = (id: string): ProviderEntry | undefined =>
    providers().find(({ name }) => name === splitModelId(id).provider)
  return (id, session) => {
    const members = settingsOf(aliases, id) ?? [id]
    const weightOf = (member: string): number => entryOf(member)?.weight ?? 1
    const [model = id, ...others] =
      members.length < 2
        ? members
        : members.toSorted((a, b) => rank(b, session, weightOf(b)) - rank(a, session, weightOf(a)))
    const all = [...new Set([...others, ...(entryOf(model)?.fallbacks ?? [])])].filter(
      other => other !== model,
    )
    return { model, ...(all.length === 0 ? {} : { fallback_models: all }) }
  }
}

/** Rendezvous hashing: a change of the list moves as few sessions as it can. */
function rank(member: string, session: string, weight: number): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([session, member]))
    .digest()
  // Above 0 and below 1.
  const chance = (digest.readUInt32BE(0) + 0.5) / 2 ** 32
  return -weight / Math.log(chance)
}
