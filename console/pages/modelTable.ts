import { faint } from "../components/bits.ts"
import { status } from "../components/status.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { number, usd } from "../format.ts"
import type { ModelRow, UpstreamRow } from "../upstreamSource.ts"
import { words } from "../words/words.ts"
import type { ModelTests } from "./modelTests.ts"

const text = words.models
const { columns } = text

const cell = (head: string, look: string, ...children: ReadonlyArray<Child>) =>
  h("td", { class: look, "data-head": head }, children)

const priceCells = ({ kind, price }: ModelRow): ReadonlyArray<HTMLElement> => {
  const whole = (shown: Child) => [h("td", { class: "right whole", colspan: 3, "data-head": columns.price }, shown)]
  if (price === null) return whole(status("warn", text.unpriced))
  if (kind === "video") {
    return whole(
      price.per_second > 0
        ? text.perSecond(usd(price.per_second))
        : price.output > 0
          ? text.perMillion(usd(price.output))
          : text.free
    )
  }
  const one = (head: string, value: number) => cell(head, "right", value === 0 ? faint(number(0, 3)) : number(value, 3))
  return [one(columns.input, price.input), one(columns.cached, price.cached_input), one(columns.output, price.output)]
}

const sourceOf = ({ price_source: { as_of, from, name } }: ModelRow): Child =>
  h("span", { title: name ?? "" }, text.sources[from], as_of !== null && faint(` ${as_of}`))

const takenOf = ({ capabilities: { passes_through, resolutions, takes }, kind }: ModelRow): Child =>
  h(
    "span",
    { title: passes_through.length === 0 ? text.translated : text.passes(passes_through.join(", ")) },
    kind === "embedding" ? faint(text.nothing) : takes.map((one) => text.takes[one]).join(", "),
    resolutions !== null && faint(` ${resolutions.join(" ")}`)
  )

const contextOf = ({ context_tokens, kind, max_output_tokens }: ModelRow): Child =>
  h(
    "span",
    { title: max_output_tokens === null ? "" : text.mostOut(number(max_output_tokens)) },
    context_tokens === null ? faint(kind === "text" ? text.unknown : text.kinds[kind]) : number(context_tokens)
  )

const routesOf = ({ routes }: ModelRow, upstreams: ReadonlyArray<UpstreamRow>): Child =>
  routes.map(({ model, upstream }, at) => {
    const isOpen = upstreams.some(({ circuit, name }) => name === upstream && circuit === "open")
    return h(
      "div",
      { class: "cut", title: `${upstream} ${model}` },
      routes.length > 1 && faint(`${at + 1} `),
      isOpen ? status("bad", upstream) : upstream,
      " ",
      h("code", { class: "faint" }, model)
    )
  })

const heads = [
  [columns.model, "", 156],
  [columns.routes, "", 0],
  [columns.context, "right", 92],
  [columns.input, "right", 66],
  [columns.cached, "right", 90],
  [columns.output, "right", 76],
  [columns.from, "apart", 132],
  [columns.takes, "", 190],
  [columns.test, "apart", 116]
] as const

/** The served models, with routes, prices and their sources, and accepted input. */
export const modelTable = (
  rows: ReadonlyArray<ModelRow>,
  upstreams: ReadonlyArray<UpstreamRow>,
  tests: ModelTests
): HTMLElement =>
  h(
    "div",
    { class: "bleed sideways", tabindex: 0, role: "region", "aria-label": words.pages.models },
    h(
      "table",
      { class: "table wide stacks models", "aria-label": words.pages.models },
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
        rows.map((model) =>
          h(
            "tr",
            {},
            h("td", { class: "whole", title: model.id }, h("b", { class: "name" }, model.id)),
            cell(columns.routes, "wrap whole", routesOf(model, upstreams)),
            cell(columns.context, "right", contextOf(model)),
            priceCells(model),
            cell(columns.from, "quiet apart wrap", sourceOf(model)),
            cell(columns.takes, "quiet wrap", takenOf(model)),
            cell(columns.test, "apart", tests.ofModel(model))
          )
        )
      )
    )
  )
