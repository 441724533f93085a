import type { Firsts, StreamFigures, WholeFigures } from "./measure.ts"

/** What a run knows of one system; kept from run to run, so that one can be measured again by itself. */
export interface Figures {
  readonly name: string
  readonly version: string
  readonly settings: string
  readonly lacks: string
  /** On one core, in ms and MB. */
  readonly startMs: number
  readonly idle: number
  readonly wholes: Readonly<Record<string, WholeFigures & { readonly free: number }>>
  readonly streams: Readonly<Record<string, StreamFigures>>
  /** The upstream's own streams in the same run, which a system's are compared with. */
  readonly direct: Readonly<Record<string, StreamFigures>>
  /** When, as YYYY-MM-DD HH:MM in UTC. */
  readonly at: string
}

export interface Results {
  readonly machine: string
  readonly systems: ReadonlyArray<Figures>
}

const number = (value: number, digits: number) =>
  Number.isFinite(value)
    ? value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : "–"

const rows = (head: ReadonlyArray<string>, align: string, body: ReadonlyArray<ReadonlyArray<string>>) =>
  [head, align.split(""), ...body]
    .map((cells, row) =>
      row === 1 ? `|${cells.map((side) => (side === "l" ? "---" : "--:")).join("|")}|` : `| ${cells.join(" | ")} |`
    )
    .join("\n")

const wholes = (systems: ReadonlyArray<Figures>) =>
  rows(
    [
      "whole answers",
      "requests/s, one core",
      "× bare",
      "CPU s per 1,000",
      "±",
      "added p50 / p99 at one connection, ms",
      "requests/s, free",
      "MB under load",
      "wrong"
    ],
    "lrrrrrrrr",
    systems.flatMap((system) =>
      Object.entries(system.wholes).map(([what, one]) => [
        `${system.name}, ${what}`,
        number(one.perSecond, 0),
        number(one.timesBare, 2),
        number(one.cpu, 3),
        `${number(one.spread * 100, 0)} %`,
        `${number(one.addedP50, 2)} / ${number(one.addedP99, 1)}`,
        number(one.free, 0),
        number(one.underLoad, 0),
        number(one.wrong, 0)
      ])
    )
  )

/** How much later the first event came than the upstream's own, p50 and p99 in ms. */
const later = (own: Firsts, direct: Firsts | undefined) =>
  `${number(own.p50 - (direct?.p50 ?? NaN), 1)} / ${number(own.p99 - (direct?.p99 ?? NaN), 1)}`

const streams = (systems: ReadonlyArray<Figures>) =>
  rows(
    [
      "streams, one core",
      "first event of 64 warm, added p50 / p99 ms",
      "of the first 64 after start",
      "of 1,000",
      "an event's delay, p99 of 1,000, ms",
      "CPU s per 1,000 events",
      "KB a stream",
      "clean of 1,000"
    ],
    "lrrrrrrr",
    systems.flatMap((system) =>
      Object.entries(system.streams).map(([what, one]) => [
        `${system.name}, ${what}`,
        later(one.warm, system.direct[what]?.warm),
        later(one.cold, system.direct[what]?.warm),
        later(one.many, system.direct[what]?.many),
        number(one.delayP99, 0),
        number(one.cpu, 3),
        number(one.kilobytes, 0),
        `${number(one.clean * 100, 0)} %`
      ])
    )
  )

const descriptions = (systems: ReadonlyArray<Figures>) =>
  rows(
    ["system", "version", "start, ms", "idle, MB", "how it is set", "what it does not do", "measured"],
    "llrrlll",
    systems.map(({ at, idle, lacks, name, settings, startMs, version }) => [
      name,
      version === "" ? "not told" : version,
      number(startMs, 0),
      number(idle, 0),
      settings,
      lacks,
      at
    ])
  )

/** The page's part, as Markdown. */
export const page = ({ machine, systems }: Results): string =>
  [machine, wholes(systems), streams(systems), descriptions(systems)].join("\n\n")

/** Puts a text between the markers of this name; throws where the page has none. */
export const between = (text: string, name: string, written: string): string => {
  const markers = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`)
  if (!markers.test(text)) throw new Error(`there are no markers of ${name}`)
  return text.replace(markers, () => `<!-- ${name} -->\n${written}\n<!-- /${name} -->`)
}

/** Those measured now in the place of what was known of them, the others as they were. */
export const merged = (before: Results | undefined, now: Results): Results => ({
  machine: now.machine,
  systems: [
    ...(before?.systems ?? []).map((one) => now.systems.find(({ name }) => name === one.name) ?? one),
    ...now.systems.filter(({ name }) => before?.systems.every((one) => one.name !== name) ?? true)
  ]
})
