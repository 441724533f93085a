const paths = {
  brand: ["M2 4.5h4.5L9.5 8H14", "M2 11.5h4.5L9.5 8", "M2 8h3"],
  overview: ["M1.5 9h3l2-5.5 3 9 2-5.5h3"],
  requests: ["M2 4h12", "M2 8h12", "M2 12h7"],
  tasks: ["M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z", "M8 4.8V8l2.2 1.6"],
  keys: ["M5 8a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z", "m7.2 8.8 5.8-5.8", "m10.5 5.5 2 2"],
  accounts: [
    "M3.3 3.5h9.4c.8 0 1.5.7 1.5 1.5v6c0 .8-.7 1.5-1.5 1.5H3.3c-.8 0-1.5-.7-1.5-1.5V5c0-.8.7-1.5 1.5-1.5Z",
    "M1.8 6.5h12.4"
  ],
  models: ["m8 2 6 3-6 3-6-3 6-3Z", "m2 8.2 6 3 6-3", "m2 11.2 6 3 6-3"],
  tools: ["M9.8 2.6a3.6 3.6 0 0 0-4.3 4.9L2 11l3 3 3.5-3.5a3.6 3.6 0 0 0 4.9-4.3L11.2 8.4 8.6 7.4 7.6 4.8 9.8 2.6Z"],
  playground: ["m3 4 4 4-4 4", "M8.5 12H13"],
  search: ["M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9Z", "m10.5 10.5 3 3"],
  copy: [
    "M7 5.5h5c.8 0 1.5.7 1.5 1.5v5c0 .8-.7 1.5-1.5 1.5H7c-.8 0-1.5-.7-1.5-1.5V7c0-.8.7-1.5 1.5-1.5Z",
    "M10.5 3.5v-1h-8v8h1"
  ],
  close: ["m4 4 8 8", "m12 4-8 8"],
  up: ["m4 10 4-4 4 4"],
  down: ["m4 6 4 4 4-4"],
  help: ["M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z", "M6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.1", "M8 11.3v.1"],
  theme: ["M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z", "M8 2.5v11", "M9.5 3.2v9.6", "M11 4.2v7.6", "M12.4 5.8v4.4"],
  leave: ["M6 2.5H3v11h3", "m10.5 5 3 3-3 3", "M13 8H6.5"],
  sessions: ["M8 2.5a2.6 2.6 0 1 0 0 5.2 2.6 2.6 0 0 0 0-5.2Z", "M3 13.5c.4-2.6 2.4-4 5-4s4.6 1.4 5 4"],
  audit: ["M4 2h8v12H4z", "M6.5 5.5h3", "M6.5 8h3", "M6.5 10.5h2"],
  more: ["M3.5 8h.01", "M8 8h.01", "M12.5 8h.01"],
  upload: ["M8 11V3", "M4.5 6 8 2.5 11.5 6", "M2.5 13.5h11"]
} as const

export type IconName = keyof typeof paths

/** A 16×16 icon in the colour of the surrounding text. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width={1.4}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {paths[name].map((d) => (
      <path key={d} d={d} />
    ))}
  </svg>
)
