import type { Page } from "../app.ts"
import { jsonBody, Refused } from "../client.ts"
import { button, faint } from "../components/bits.ts"
import { openDialog } from "../components/dialog.ts"
import { empty, loader } from "../components/states.ts"
import { status } from "../components/status.ts"
import { fill, h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { durationText, matches, number, usd } from "../format.ts"
import { pageHead } from "../frame.ts"
import { servedModels, upstreamsOf } from "../upstreamSource.ts"
import type { ModelRow, UpstreamRow } from "../upstreamSource.ts"
import { words } from "../words/words.ts"
import { upstreamTable } from "./upstreamTable.ts"

const text = words.models

/** The least that can be asked of a model. */
const probeOf = ({ id, kind }: ModelRow): readonly [path: string, body: Readonly<Record<string, unknown>>] =>
  kind === "embedding"
    ? ["/v1/embeddings", { model: id, input: "a" }]
    : ["/v1/messages", { model: id, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] }]

const cell = (head: string, look: string, ...children: ReadonlyArray<Child>) =>
  h("td", { class: look, "data-head": head }, children)

const priceCells = ({ kind, price }: ModelRow): ReadonlyArray<HTMLElement> => {
  const { columns } = text
  const whole = (shown: Child) => [h("td", { class: "right whole", colspan: 3, "data-head": columns.input }, shown)]
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

const routes = ({ routes }: ModelRow, upstreams: ReadonlyArray<UpstreamRow>): Child =>
  routes.map(({ model, upstream }, at) => {
    const isOpen = upstreams.some(({ circuit, name }) => name === upstream && circuit === "open")
    return h(
      "div",
      { class: "cut" },
      routes.length > 1 && faint(`${at + 1} `),
      isOpen ? status("bad", upstream) : upstream,
      " ",
      h("code", { class: "faint" }, model)
    )
  })

/** What is served, where it runs, what it costs and whether it answers. */
export const models: Page = (app, main) => {
  const testAll = button(text.testAll, () => void everyTest())
  const head = pageHead(words.pages.models, testAll)
  const area = h("div", { class: "page" })
  fill(main, head.element, area)
  let rows: ReadonlyArray<ModelRow> = []
  let upstreams: ReadonlyArray<UpstreamRow> = []
  const results = new Map<string, HTMLElement>()

  const testCell = (model: ModelRow) => {
    const place = results.get(model.id) ?? h("span")
    results.set(model.id, place)
    if (place.childElementCount === 0) {
      place.append(
        model.kind === "video"
          ? faint(text.kinds.video)
          : button(text.test, () => void ask(model), { look: "small", "aria-label": text.testTitle(model.id) })
      )
    }
    return place
  }
  const keyFor = async (model: ModelRow) =>
    (await app.catalogue.keys()).find(
      (key) => key.status === "active" && key.models.some((pattern) => matches(pattern, model.id))
    )
  const run = async (model: ModelRow, key: string) => {
    const place = results.get(model.id) ?? h("span")
    fill(place, status("running", text.testing))
    const [path, body] = probeOf(model)
    const began = performance.now()
    try {
      await app.client.json(path, {
        ...jsonBody(body),
        headers: { "content-type": "application/json", "x-gateway-key-id": key }
      })
      fill(place, status("well", durationText(performance.now() - began)))
    } catch (error) {
      const failure = error instanceof Refused ? error : undefined
      fill(
        place,
        h("span", { title: failure?.message ?? "" }, status("bad", failure?.code ?? text.noAnswer, failure?.status))
      )
    }
  }
  /** Free models are asked at once; what costs something is said first. */
  const ask = async (model: ModelRow) => {
    const key = await keyFor(model)
    if (key === undefined) return app.toast(words.playground.noKey)
    const [endpoint, body] = probeOf(model)
    const quote = await app.client
      .json<{ readonly maximum: { readonly cost: { readonly nano_usd: number } } }>("/v1/quote", {
        ...jsonBody({ endpoint, body }),
        headers: { "content-type": "application/json", "x-gateway-key-id": key.id }
      })
      .catch(() => undefined)
    const cost = quote?.maximum.cost.nano_usd ?? 0
    if (cost === 0) return run(model, key.id)
    openDialog({
      title: text.testTitle(model.id),
      body: [
        h("p", {}, text.testCosts(usd(cost / 1e9, 6))),
        h("p", { class: "faint" }, `${text.testAs} ${key.account} / ${key.name}`)
      ],
      act: { word: text.testSend, run: async () => void run(model, key.id) }
    })
  }
  const everyTest = async () => {
    const free = rows.filter(
      ({ kind, price }) => kind !== "video" && (price === null || price.input + price.output === 0)
    )
    const costly = rows.filter((model) => model.kind !== "video" && !free.includes(model))
    const each = (list: ReadonlyArray<ModelRow>) =>
      Promise.all(
        list.map(async (model) => {
          const key = await keyFor(model)
          if (key !== undefined) await run(model, key.id)
        })
      )
    void each(free)
    if (costly.length === 0) return
    const most = costly.reduce((sum, { price }) => sum + ((price?.output ?? 0) + 20 * (price?.input ?? 0)) / 1e6, 0)
    openDialog({
      title: text.testAll,
      body: [h("p", {}, text.testCosts(usd(most, 4)))],
      act: { word: text.testSend, run: async () => void each(costly) }
    })
  }

  const asked = new Map<string, HTMLElement>()
  /** Costs nothing: it is asked what it serves. */
  const askUpstream = async (name: string, place: HTMLElement) => {
    fill(place, status("running", words.upstreams.testing))
    try {
      const test = await app.client.admin((admin) => admin.adminWatch.testUpstream({ path: { name } }))
      const took = durationText(test.ms)
      const told = test.models === null ? took : words.upstreams.answered(number(test.models.length), took)
      fill(
        place,
        test.ok
          ? status("well", told)
          : h("span", { title: test.error ?? "" }, status("bad", test.error ?? text.noAnswer))
      )
    } catch (error) {
      fill(place, status("bad", error instanceof Refused ? error.code : text.noAnswer))
    }
  }
  const upstreamTest = ({ kind, name }: UpstreamRow): HTMLElement => {
    if (kind === "video") return faint(text.kinds.video)
    const place = asked.get(name) ?? h("span")
    asked.set(name, place)
    if (place.childElementCount === 0) {
      place.append(
        button(text.test, () => void askUpstream(name, place), {
          look: "small",
          "aria-label": words.upstreams.testNow(name)
        })
      )
    }
    return place
  }

  const draw = () => {
    head.note.textContent = text.counted(number(rows.length), number(upstreams.length))
    if (rows.length === 0)
      return fill(area, empty(app, text.emptyTitle, text.empty, [["", "ANTHROPIC_API_KEY=sk-ant-… gateway serve"]]))
    const { columns } = text
    const heads = [
      [columns.model, "", 190],
      [columns.routes, "", 0],
      [columns.context, "right", 96],
      [columns.input, "right", 78],
      [columns.cached, "right", 96],
      [columns.output, "right", 84],
      [columns.test, "apart", 150]
    ] as const
    return fill(
      area,
      h(
        "div",
        { class: "bleed sideways", tabindex: 0, role: "region", "aria-label": words.pages.models },
        h(
          "table",
          { class: "table wide stacks", "aria-label": words.pages.models },
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
                h("td", { class: "whole" }, h("b", { class: "name" }, model.id)),
                cell(columns.routes, "wrap whole", routes(model, upstreams)),
                cell(
                  columns.context,
                  "right",
                  model.context_tokens === null
                    ? faint(model.kind === "text" ? text.unknown : text.kinds[model.kind])
                    : number(model.context_tokens)
                ),
                priceCells(model),
                cell(columns.test, "apart", testCell(model))
              )
            )
          )
        )
      ),
      h("div", { class: "caption below" }, h("h2", {}, text.upstreams), faint(text.upstreamsNote)),
      upstreamTable(upstreams, true, upstreamTest)
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
