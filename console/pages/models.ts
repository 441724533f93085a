import type { RenderPage } from "../app.ts"
import { button, faint } from "../components/bits.ts"
import { empty, loader } from "../components/states.ts"
import { fill, h, refill } from "../dom.ts"
import { number } from "../format.ts"
import { pageHead } from "../frame.ts"
import { servedModels, upstreamsOf } from "../upstreamSource.ts"
import type { ModelRow, UpstreamRow } from "../upstreamSource.ts"
import { words } from "../words/words.ts"
import { modelTable } from "./modelTable.ts"
import { modelTests } from "./modelTests.ts"
import { upstreamTable } from "./upstreamTable.ts"

const text = words.models

/** The served models and their upstreams, with their states. */
export const models: RenderPage = (app, main) => {
  const tests = modelTests(app)
  let rows: ReadonlyArray<ModelRow> = []
  let upstreams: ReadonlyArray<UpstreamRow> = []
  const head = pageHead(
    words.pages.models,
    button(text.testAll, () => tests.askAll(rows))
  )
  const area = h("div", { class: "page" })
  fill(main, head.element, area)

  const draw = () => {
    head.note.textContent = text.counted(number(rows.length), number(upstreams.length))
    if (rows.length === 0)
      return fill(area, empty(app, text.emptyTitle, text.empty, [["", "ANTHROPIC_API_KEY=sk-ant-… gateway serve"]]))
    return refill(
      area,
      modelTable(rows, upstreams, tests),
      h("p", { class: "hint rule" }, text.takesNote),
      rows.some(({ price }) => price === null) && h("p", { class: "hint" }, text.unpricedNote),
      h("div", { class: "caption below" }, h("h2", {}, text.upstreams), faint(text.upstreamsNote)),
      upstreamTable(upstreams, true, (upstream) => tests.ofUpstream(upstream))
    )
  }
  const loading = loader(
    app,
    words.pages.models,
    area,
    () => Promise.all([servedModels(app), upstreamsOf(app)]),
    ([all, ups]) => {
      rows = all
      upstreams = ups
      draw()
    }
  )
  const heard = app.live.onChange(({ what }) => {
    if (what === "upstream" || what === "configuration") void loading.run(true)
  })
  void loading.run()
  return {
    show: () => {},
    redraw: draw,
    close() {
      heard()
      loading.close()
    }
  }
}
