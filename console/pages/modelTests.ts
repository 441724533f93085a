import type { App } from "../app.ts"
import { jsonBody, Refused } from "../client.ts"
import { button, faint } from "../components/bits.ts"
import { openDialog } from "../components/dialog.ts"
import { status } from "../components/status.ts"
import { fill, h } from "../dom.ts"
import { durationText, permits, number, usd } from "../format.ts"
import { hrefOf } from "../router.ts"
import type { ModelRow, UpstreamRow } from "../upstreamSource.ts"
import { words } from "../words/words.ts"

const text = words.models

/** The smallest request to a model. */
const probeOf = ({ id, kind }: ModelRow): readonly [path: string, body: Readonly<Record<string, unknown>>] =>
  kind === "embedding"
    ? ["/v1/embeddings", { model: id, input: "a" }]
    : ["/v1/messages", { model: id, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] }]

/** True if a test is certainly free: a model without a price may cost money at its upstream. */
const isFree = ({ price }: ModelRow): boolean =>
  price !== null && price.input + price.output + price.cached_input + price.per_search === 0

/** Test requests to models and upstreams, and the places that show their results. */
export const modelTests = (app: App) => {
  const results = new Map<string, HTMLElement>()
  const asked = new Map<string, HTMLElement>()

  const keyFor = async (model: ModelRow) =>
    (await app.catalogue.keys()).find((key) => key.status === "active" && permits(key, model.id))
  const asKey = (key: string) => ({ "content-type": "application/json", "x-gateway-key-id": key })

  const run = async (model: ModelRow, key: string) => {
    const place = results.get(model.id) ?? h("span")
    fill(place, status("running", text.testing))
    const [path, body] = probeOf(model)
    const began = performance.now()
    try {
      await app.client.json(path, { ...jsonBody(body), headers: asKey(key) })
      fill(place, status("well", durationText(performance.now() - began)))
    } catch (error) {
      const failure = error instanceof Refused ? error : undefined
      fill(
        place,
        h("span", { title: failure?.message ?? "" }, status("bad", failure?.code ?? text.noAnswer, failure?.status))
      )
    }
  }

  /** The maximum cost of a test, in words. */
  const mostOf = async (model: ModelRow, key: string): Promise<string> => {
    if (model.price === null) return text.testUnpriced
    const [endpoint, body] = probeOf(model)
    const quote = await app.client
      .json<{ readonly maximum: { readonly cost: { readonly nano_usd: number } } }>("/v1/quote", {
        ...jsonBody({ endpoint, body }),
        headers: asKey(key)
      })
      .catch(() => undefined)
    return quote === undefined ? text.testUnknown : text.testCosts(usd(quote.maximum.cost.nano_usd / 1e9, 6))
  }

  /** Free models are tested at once; others ask first. */
  const ask = async (model: ModelRow) => {
    const key = await keyFor(model)
    if (key === undefined) return app.toast(words.playground.noKey)
    if (isFree(model)) return run(model, key.id)
    openDialog({
      title: text.testTitle(model.id),
      body: [
        h("p", {}, await mostOf(model, key.id)),
        h("p", { class: "faint" }, `${text.testAs} ${key.account} / ${key.name}`)
      ],
      act: { word: text.testSend, run: async () => void run(model, key.id) }
    })
  }

  const each = (list: ReadonlyArray<ModelRow>) =>
    Promise.all(
      list.map(async (model) => {
        const key = await keyFor(model)
        if (key !== undefined) await run(model, key.id)
      })
    )

  /** All but videos, which take minutes. */
  const askAll = (rows: ReadonlyArray<ModelRow>) => {
    const asked = rows.filter(({ kind }) => kind !== "video")
    void each(asked.filter(isFree))
    const costly = asked.filter((model) => !isFree(model))
    if (costly.length === 0) return
    const unpriced = costly.filter(({ price }) => price === null).length
    const most = costly.reduce((sum, { price }) => sum + ((price?.output ?? 0) + 20 * (price?.input ?? 0)) / 1e6, 0)
    openDialog({
      title: text.testAll,
      body: [
        h("p", {}, text.testAllCosts(number(costly.length), usd(most, 4))),
        unpriced > 0 && h("p", {}, text.testSomeUnpriced(number(unpriced)))
      ],
      act: { word: text.testSend, run: async () => void each(costly) }
    })
  }

  /** Free: lists the upstream's models. */
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

  return {
    askAll,
    /** The test of a model; videos link to the playground. */
    ofModel(model: ModelRow): HTMLElement {
      if (model.kind === "video") {
        const query = { family: "videos", model: model.id }
        return h("a", { href: hrefOf("playground", undefined, query) }, words.pages.playground)
      }
      const place = results.get(model.id) ?? h("span")
      results.set(model.id, place)
      if (place.childElementCount === 0) {
        place.append(
          button(text.test, () => void ask(model), { look: "small", "aria-label": text.testTitle(model.id) })
        )
      }
      return place
    },
    /** The test of an upstream; the built-in one and those for videos have no list. */
    ofUpstream({ kind, name, protocol }: UpstreamRow): HTMLElement {
      if (kind === "video") return faint(text.kinds.video)
      if (protocol === null) return faint(words.upstreams.builtIn)
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
  }
}
export type ModelTests = ReturnType<typeof modelTests>
