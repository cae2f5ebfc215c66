/** Slots named `tool:` and a tool's name, for the cards inside of a conversation. */
import { type InjectionKey, inject, provide, type Slots } from 'vue'

const TOOL_SLOTS: InjectionKey<Slots> = Symbol('toolwire tool slots')
const NONE: Slots = {}

/** Lets the parts below use the slots of a conversation; each gets `call`. */
export const provideToolSlots = (slots: Slots): void => provide(TOOL_SLOTS, slots)

/** Those of the conversation around; none outside of one. */
export const useToolSlots = (): Slots => inject(TOOL_SLOTS, NONE)
