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
import { field, select, textArea, textInput } from "../components/fields.ts"
import { histogram } from "../components/histogram.ts"
import { empty, failed, skeleton } from "../components/states.ts"
import { status } from "../components/status.ts"
import type { Tone } from "../components/status.ts"
import { waterfall, waterfallLegend } from "../components/waterfall.ts"
import { fill, h } from "../dom.ts"
import { count, duration, number } from "../format.ts"
import { firstRequest } from "../snippets.ts"

const tones: ReadonlyArray<Tone> = ["well", "bad", "warn", "running", "waiting", "off"]
const hour = 3_600_000
const wave = (at: number) => Math.round(20 + 14 * Math.sin(at / 4))

/** Every component, beside the others; while the console is developed. */
export const components = (
  root: HTMLElement,
  { copy, toast }: { readonly copy: (text: string) => void; readonly toast: (text: string) => void }
): void => {
  const times = Array.from({ length: 48 }, (_, at) => Math.floor(Date.now() / hour) * hour - (47 - at) * hour)
  const bars = histogram((from, to) => toast(`${new Date(from).toISOString()} – ${new Date(to).toISOString()}`))
  const app = { copy }
  fill(
    root,
    h(
      "main",
      { class: "page", id: "main" },
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
            { upstream: "two", from: 320, began: 700, to: 1_900, failure: undefined, isCut: false }
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
      section(
        "States",
        skeleton(3),
        empty(app, "Nothing yet", "What would be here.", []),
        failed(app, "This", new Error("why"), 1, 4, () => toast("Again"))
      )
    )
  )
  bars.show(
    times.map((time, at) => ({ time, well: wave(at), refused: at % 7 === 0 ? 3 : 0, failed: at % 11 === 0 ? 4 : 0 })),
    hour
  )
}
