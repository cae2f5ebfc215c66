declare module 'parse-prometheus-text-format' {
  // biome-ignore lint/style/noDefaultExport: the package has one
  export default function parse(text: string): unknown
}
