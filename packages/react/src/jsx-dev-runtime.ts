/** The same as `jsx-runtime`, with what React's development build wants to know. */
import type { ElementType, Key, ReactElement } from 'react'
import { jsxDEV as makeElement } from 'react/jsx-dev-runtime'
import { markProps } from './jsx-runtime.ts'

export type { JSX } from 'react/jsx-dev-runtime'
export { Fragment } from 'react/jsx-dev-runtime'

type Rest = Parameters<typeof makeElement> extends [unknown, unknown, unknown, ...infer More] ? More : never

export const jsxDEV = (type: ElementType, props: object, key: Key | undefined, ...rest: Rest): ReactElement =>
  makeElement(type, markProps(type, props), key, ...rest)
