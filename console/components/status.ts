import { h, s } from "../dom.ts"
import type { Child } from "../dom.ts"

/** A status, shown by shape as well as by colour. */
export type Tone = "well" | "bad" | "warn" | "running" | "waiting" | "off"

const ring = { cx: 6, cy: 6, r: 4.2, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }

const drawings: Readonly<Record<Tone, () => ReadonlyArray<SVGElement>>> = {
  well: () => [s("circle", { cx: 6, cy: 6, r: 3.5, fill: "currentColor" })],
  bad: () => [s("path", { d: "M6 1 11 6 6 11 1 6Z", fill: "currentColor" })],
  warn: () => [s("path", { d: "M6 1.5 11 10.5H1Z", fill: "currentColor" })],
  running: () => [s("circle", ring), s("path", { d: "M6 1.8a4.2 4.2 0 0 1 0 8.4Z", fill: "currentColor" })],
  waiting: () => [s("circle", { ...ring, "stroke-dasharray": "2 1.8" })],
  off: () => [s("circle", ring), s("path", { d: "M3.5 6h5", stroke: "currentColor", "stroke-width": 1.5 })]
}

const shape = (tone: Tone): SVGElement =>
  s(
    "svg",
    { class: `shape ${tone}`, width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" },
    drawings[tone]()
  )

/** A shape, a word, and a code if there is one. */
export const status = (tone: Tone, word: Child, code?: string | number): HTMLElement =>
  h(
    "span",
    { class: `status ${tone}` },
    shape(tone),
    word,
    code !== undefined && h("span", { class: "mono status-code" }, code)
  )
