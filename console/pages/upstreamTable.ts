import { faint, none, took } from "../components/bits.ts"
import { status } from "../components/status.ts"
import type { Tone } from "../components/status.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { number } from "../format.ts"
import type { UpstreamRow } from "../upstreamSource.ts"
import { words } from "../words/words.ts"

const text = words.upstreams

const tones: Readonly<Record<UpstreamRow["circuit"], Tone>> = { closed: "well", open: "bad", probing: "running" }

const circuitStatus = ({ circuit }: UpstreamRow): HTMLElement => status(tones[circuit], text.circuits[circuit])

const dim = (value: number) => (value === 0 ? faint("0") : number(value))

/** The state of upstreams. @param isWhole with protocol and address, if there is room */
export const upstreamTable = (
  rows: ReadonlyArray<UpstreamRow>,
  isWhole: boolean,
  test?: (upstream: UpstreamRow) => HTMLElement
): HTMLElement => {
  const { columns } = text
  const cell = (head: string, look: string, ...children: ReadonlyArray<Child>) =>
    h("td", { class: look, "data-head": head }, children)
  const heads: ReadonlyArray<readonly [string, string, number]> = [
    [columns.upstream, "", isWhole ? 150 : 0],
    ...(isWhole
      ? ([
          [columns.protocol, "no-narrow", 160],
          [columns.address, "no-narrow", 0]
        ] as const)
      : []),
    [columns.circuit, "", 96],
    [columns.calls, "right", 70],
    [columns.running, "right", 84],
    [columns.waiting, "right", 70],
    [columns.errors, "right", 84],
    ...(isWhole ? ([[columns.p50, "right no-mid", 116]] as const) : []),
    [columns.p95, "right", 116],
    ...(test === undefined ? [] : ([[text.test, "apart", 136]] as const))
  ]
  return h(
    "div",
    {
      class: isWhole ? "bleed sideways" : "sideways",
      tabindex: 0,
      role: "region",
      "aria-label": words.overview.upstreams
    },
    h(
      "table",
      { class: isWhole ? "table wide stacks" : "table stacks", "aria-label": words.overview.upstreams },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map(([name, look, width]) =>
            h("th", { scope: "col", class: look, ...(width === 0 ? {} : { css: { width: `${width}px` } }) }, name)
          )
        )
      ),
      h(
        "tbody",
        {},
        rows.map((row) => {
          const calls = row.answers + row.failures
          const share = calls === 0 ? 0 : (100 * row.failures) / calls
          const errors = h("span", { class: "num" }, number(share, 1), h("span", { class: "unit" }, "%"))
          return h(
            "tr",
            {},
            h(
              "td",
              { class: "whole" },
              row.name,
              rows.some((one) => one !== row && one.name === row.name) && faint(" ", row.kind)
            ),
            isWhole && cell(columns.protocol, "quiet no-narrow", row.protocol ?? text.builtIn),
            isWhole &&
              cell(
                columns.address,
                "quiet no-narrow",
                h("code", {}, row.base_url === null ? text.here : row.base_url.replace(/^https?:\/\//, ""))
              ),
            cell(columns.circuit, "", circuitStatus(row)),
            cell(columns.calls, "right", dim(calls)),
            cell(columns.running, "right", row.running === null ? faint(text.unbounded) : number(row.running)),
            cell(columns.waiting, "right", row.waiting === null ? none() : dim(row.waiting)),
            cell(columns.errors, "right", share > 5 ? errors : faint(errors)),
            isWhole && cell(columns.p50, "right no-mid", row.latency_ms === null ? none() : took(row.latency_ms.p50)),
            cell(columns.p95, "right", row.latency_ms === null ? none() : took(row.latency_ms.p95)),
            test !== undefined && cell(text.test, "apart", test(row))
          )
        })
      )
    )
  )
}
