/** Icons of the app's own controls; those of the parts are in `@toolwire/react`. */
const PATHS = {
  plus: 'M8 3v10M3 8h10',
  inbox: 'M2 9.5l2-6.5h8l2 6.5v3.5H2zM2 9.5h3.5l1 1.8h3l1-1.8H14',
  tools:
    'M9.8 2.3a3.4 3.4 0 0 0-3.3 4.9L2.3 11.4a1.6 1.6 0 0 0 2.3 2.3l4.2-4.2a3.4 3.4 0 0 0 4.6-4.1L11.3 7.3L8.9 6.9L8.6 4.6l2-2a3.4 3.4 0 0 0-.8-.3',
  settings: 'M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.7v3.6M6 9.7v3.6',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.4 10.4L13.6 13.6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  list: 'M2.5 4h.01M2.5 8h.01M2.5 12h.01M5.5 4h8M5.5 8h8M5.5 12h8',
  trace: 'M2 4h6M5 8h7M8 12h6',
  panel: 'M2 3h12v10H2zM9.5 3v10',
  folder: 'M2 4h4.2l1.4 1.6H14V13H2z',
  file: 'M4 2h5l3 3v9H4zM9 2v3h3',
  lock: 'M4 7.5h8V14H4zM5.6 7.5V5.4a2.4 2.4 0 0 1 4.8 0v2.1',
  undo: 'M5.5 3.5L2.5 6.5l3 3M2.5 6.5h6.7a3.6 3.6 0 0 1 0 7.2H6',
  chart: 'M3 13V8M8 13V3M13 13V6',
  sun: 'M8 5a3 3 0 1 1 0 6a3 3 0 0 1 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13.5 9.6A5.9 5.9 0 0 1 6.4 2.5a5.9 5.9 0 1 0 7.1 7.1',
  down: 'M8 3v10M3.8 8.8L8 13l4.2-4.2',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2l-2 2M8.5 10.2h3',
  shield: 'M8 1.8l5 1.9v4.1c0 3-2.1 5.3-5 6.4c-2.9-1.1-5-3.4-5-6.4V3.7zM5.8 8l1.6 1.6l2.9-3.1',
  page: 'M2 3h12v10H2zM2 6h12M4 4.5h.01M6 4.5h.01',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  pencil: 'M10.8 2.8l2.4 2.4L5.6 12.8L2.6 13.4l.6-3zM9.2 4.4l2.4 2.4',
  trash: 'M2.8 4.3h10.4M6.3 4.3V2.6h3.4v1.7M4.2 4.3l.6 9.1h6.4l.6-9.1',
} as const

export type AppIconName = keyof typeof PATHS

export function AppIcon({ name }: { readonly name: AppIconName }) {
  const bold = name === 'more'
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      strokeWidth={bold ? 2.4 : 1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
