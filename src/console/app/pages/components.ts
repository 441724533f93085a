import {
  badge,
  button,
  fact,
  facts,
  iconButton,
  measure,
  meter,
  section,
  segments,
  smallTable
} from "../components/bits.ts"
import { chart, chartGroup } from "../components/chart.ts"
import { codeBlock } from "../components/codeBlock.ts"
import { openDialog } from "../components/dialog.ts"
import { makeDrawer } from "../components/drawer.ts"
import { filterBar } from "../components/filterBar.ts"
import { field, select, textArea, textInput } from "../components/fields.ts"
import { histogram } from "../components/histogram.ts"
import { inputField, staleEdit } from "../components/staleEdit.ts"
import { empty, failed, skeleton } from "../components/states.ts"
import { status } from "../components/status.ts"
import type { Tone } from "../components/status.ts"
import { waterfall, waterfallLegend } from "../components/waterfall.ts"
import { Refused } from "../client.ts"
import { fill, h } from "../dom.ts"
import { count, duration, number } from "../format.ts"
import { routeOf } from "../router.ts"
import { firstRequest } from "../snippets.ts"

const tones: ReadonlyArray<Tone> = ["well", "bad", "warn", "running", "waiting", "off"]
const hour = 3_600_000
const wave = (at: number) => Math.round(20 + 14 * Math.sin(at / 4))

/** All components side by side, for the console's development. */
export const components = (
  root: HTMLElement,
  { copy, toast }: { readonly copy: (text: string) => void; readonly toast: (text: string) => void }
): void => {
  const times = Array.from({ length: 48 }, (_, at) => Math.floor(Date.now() / hour) * hour - (47 - at) * hour)
  const bars = histogram((from, to) => toast(`${new Date(from).toISOString()} – ${new Date(to).toISOString()}`))
  const app = { copy }
  const filters = filterBar(
    { route: () => routeOf(location), go: toast },
    { label: "Search things", example: "name:a*  or a word" }
  )
  filters.show([
    { name: "state", any: "Any state", values: ["open", "closed"] },
    { name: "kind", any: "Any kind", values: [["a", "One"]] }
  ])
  const stale = staleChoice(toast)
  const main = h("main", { class: "page components", id: "main" })
  const drawer = makeDrawer(main, { close: () => drawer.hide(), step: (by) => toast(by === 1 ? "Next" : "Previous") })
  fill(root, main)
  main.prepend(
    h("h1", {}, "Components"),
    section(
      "Status",
      h(
        "div",
        { class: "actions" },
        tones.map((tone) => status(tone, tone, 200))
      )
    ),
    section(
      "Buttons",
      h(
        "div",
        { class: "actions" },
        button("Plain", () => toast("Plain")),
        button("Primary", () => toast("Primary"), { look: "primary" }),
        button("Danger", () => toast("Danger"), { look: "danger" }),
        button("Off", () => {}, { disabled: true }),
        iconButton("close", "Close", () => {})
      )
    ),
    section(
      "Fields",
      field("Text", textInput("text"), "What it means"),
      field(
        "Choice",
        select(
          [
            ["a", "One"],
            ["b", "Two"]
          ],
          "a"
        )
      ),
      field("Long text", textArea("text", 3)),
      segments(
        "Choice",
        [
          ["a", "One"],
          ["b", "Two"]
        ],
        "a",
        toast
      )
    ),
    section(
      "Facts",
      facts(
        true,
        fact("Duration", measure(duration(1_234))),
        fact("Tokens", measure(count(96_400_000))),
        fact("Property", badge("adapted 1")),
        fact("Meter", meter(90, 100, "90 of 100"))
      )
    ),
    section(
      "Table",
      smallTable(
        [["Name"], ["Count", "right"]],
        [
          ["one", number(1)],
          ["two", number(2_000)]
        ]
      )
    ),
    section(
      "Chart",
      chart(chartGroup(), "Requests", "per 1 h", {
        kind: "bars",
        times,
        axis: (value) => number(value),
        series: [{ name: "some", colour: "s1", values: times.map((_, at) => wave(at)), tell: number }]
      }).element
    ),
    section("Histogram", bars.element),
    section(
      "Waterfall",
      h("div", { class: "caption" }, waterfallLegend()),
      waterfall(
        [
          { upstream: "one", from: 0, began: 120, to: 120, failure: "503", isCut: false },
          { upstream: "two", from: 320, began: 700, to: 1_600, failure: "The stream broke off", isCut: true },
          { upstream: "three", from: 1_620, began: 1_700, to: 1_700, failure: "429 too many", isCut: false },
          { upstream: "four", from: 1_740, began: 1_800, to: 1_900, failure: undefined, isCut: false }
        ],
        1_900
      )
    ),
    section("Code", codeBlock(app, firstRequest(location.origin))),
    section(
      "Dialog",
      button("Open", () =>
        openDialog({
          title: "A dialog",
          body: [h("p", {}, "It says what happens.")],
          act: { word: "Do it", run: async () => toast("Done") }
        })
      )
    ),
    section("Filter bar", filters.element),
    section(
      "Drawer",
      button("Open the drawer", () =>
        drawer.show(
          "thing",
          [status("well", "finished", 200), h("span", {}, "A thing")],
          h("section", {}, facts(true, fact("Duration", measure(duration(1_234))), fact("Cost", "$0.00012"))),
          section("Notes", h("p", { class: "note warn" }, h("b", {}, "What is the matter."), " What to do."))
        )
      )
    ),
    section("Stale edit", stale),
    section(
      "States",
      skeleton(3),
      empty(app, "Nothing yet", "What would be here.", []),
      failed(app, "This", new Error("why"), 1, 4, () => toast("Again"))
    )
  )
  bars.show(
    times.map((time, at) => ({ time, well: wave(at), refused: at % 7 === 0 ? 3 : 0, failed: at % 11 === 0 ? 4 : 0 })),
    hour
  )
}

interface Thing {
  readonly version: number
  readonly name: string
  readonly limit: string
}

/** A form whose record another user has changed. */
const staleChoice = (toast: (text: string) => void): HTMLElement => {
  const name = textInput("mine", { "aria-label": "Name of the thing" })
  const limit = textInput("10", { "aria-label": "Limit of the thing" })
  const before: Thing = { version: 1, name: "first", limit: "10" }
  const current: Thing = { version: 2, name: "theirs", limit: "20" }
  const edit = staleEdit(before, [
    inputField<Thing>("Name", name, (thing) => thing.name),
    inputField<Thing>("Limit", limit, (thing) => thing.limit)
  ])
  const write = async ({ version }: { readonly version?: number }) => {
    if (version === current.version) return toast("Saved")
    const said = { status: 409, code: "stale", message: "", requestId: null, tookMs: 1 }
    throw new Refused({ ...said, body: { error: { current } } })
  }
  return h(
    "div",
    { class: "fields" },
    field("Name", name),
    field("Limit", limit),
    edit.element,
    h(
      "div",
      {},
      button("Save", () => void edit.save(write).catch(() => undefined))
    )
  )
}
