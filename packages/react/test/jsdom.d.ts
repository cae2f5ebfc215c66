/** The part of jsdom that tests use; the package brings no types. */
declare module 'jsdom' {
  export class JSDOM {
    constructor(html: string, options?: { readonly url?: string; readonly pretendToBeVisual?: boolean })
    readonly window: Window & typeof globalThis
  }
}
