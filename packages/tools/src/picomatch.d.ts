/** The part of picomatch that is used here; the package ships no types. */
declare module 'picomatch' {
  function picomatch(
    glob: string | readonly string[],
    options?: { readonly dot?: boolean; readonly nocase?: boolean; readonly nonegate?: boolean },
  ): (text: string) => boolean
  export = picomatch
}
