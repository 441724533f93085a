import type { App } from "../app.ts"
import { jsonBody, Refused } from "../client.ts"
import { faint } from "../components/bits.ts"
import { fill, h } from "../dom.ts"
import { dollars, number, usd } from "../format.ts"
import type { Amount } from "../format.ts"
import { words } from "../words/words.ts"
import { bodyOf } from "./bodies.ts"
import { paths } from "./draft.ts"
import type { Draft } from "./draft.ts"
import { asKey } from "./send.ts"

interface Quote {
  readonly estimated: { readonly cost: Amount; readonly input_tokens: number }
  readonly range: { readonly least: Amount; readonly most: Amount }
  readonly route: { readonly upstream: string }
  readonly maximum: { readonly cost: Amount }
}

/** The pause in typing before a quote is requested, in ms. */
const quietMs = 350

const shown = (amount: Amount): string => {
  const value = dollars(amount)
  return value === 0 ? words.overview.free : usd(value, value < 1 ? 4 : 2)
}

/** The likely cost, from the cheapest route to the most expensive one. */
const likelyOf = ({ range: { least, most } }: Quote): string => {
  const [low, high] = [shown(least), shown(most)]
  return low === high ? low : `${low} – ${high}`
}

/** The quote of a draft, beside the send button. */
export const quoteLine = (app: App, now: () => { readonly draft: Draft; readonly key: string }) => {
  const element = h("span", { class: "num quote", role: "status" })
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0
  const ask = async (): Promise<void> => {
    const mine = ++turn
    const { draft, key } = now()
    if (draft.model === "") return
    const body = { endpoint: paths[draft.family], body: bodyOf(draft) }
    try {
      const quote = await app.client.json<Quote>("/v1/quote", {
        ...jsonBody(body),
        headers: { ...asKey(app, key), "content-type": "application/json" }
      })
      if (mine !== turn) return
      const [likely, most] = words.playground.quote(
        likelyOf(quote),
        shown(quote.maximum.cost),
        quote.estimated.input_tokens === 0 ? "" : words.playground.tokensIn(number(quote.estimated.input_tokens))
      )
      element.title = words.playground.firstRoute(quote.route.upstream)
      fill(element, likely, faint(most))
    } catch (error) {
      if (mine === turn) fill(element, error instanceof Refused ? faint(error.message) : "")
    }
  }
  return {
    element,
    ask: () => {
      clearTimeout(timer)
      timer = setTimeout(() => void ask(), quietMs)
    },
    close: () => clearTimeout(timer)
  }
}
