/**
 * The one place that writes to the terminal. Names, paths and messages come from models, tools and other people:
 * their hidden characters are marked, so that none of them can drive the terminal.
 */
import { escapeControls, markControls } from '@toolwire/core/parts'

export const print = (text: string): void => {
  process.stdout.write(markControls(text))
}

export const printError = (text: string): void => {
  process.stderr.write(markControls(text))
}

/** Writes control sequences of the command itself, or text whose outside parts are marked already. */
export const printStyled = (text: string): void => {
  process.stdout.write(text)
}

export const printStyledError = (text: string): void => {
  process.stderr.write(text)
}

/** JSON for programs: hidden characters are escapes, which is the same value. */
export const toJson = (value: unknown, indent?: number): string =>
  escapeControls(JSON.stringify(value, null, indent))
