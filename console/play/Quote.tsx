import { useEffect, useState } from "preact/hooks"
import { costText } from "../../src/contract/text/usdText.ts"
import { Refused } from "../client.ts"
import { dollars, number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { Faint } from "../parts/text.tsx"
import { words } from "../words/words.ts"
import { quotedPathOf } from "./draft.ts"
import type { Family } from "./draft.ts"
import { actingKey } from "./send.ts"

const text = words.playground

/** The pause in typing before a quote is requested, in ms. */
const quietMs = 350

interface Shown {
  readonly likely: string
  readonly more: string
  readonly title: string
}

const nothing: Shown = { likely: "", more: "", title: "" }

/** The quote of a request, beside the send button. */
export const Quote = ({
  body,
  family,
  isAsked,
  keyId
}: {
  readonly family: Family
  readonly body: Readonly<Record<string, unknown>>
  readonly keyId: string
  /** False if there is nothing to send. */
  readonly isAsked: boolean
}) => {
  const app = useApp()
  const [shown, setShown] = useState(nothing)
  const written = JSON.stringify(body)
  const endpoint = quotedPathOf(family)
  useEffect(() => {
    if (!isAsked || endpoint === undefined) {
      setShown(nothing)
      return undefined
    }
    let isLatest = true
    const ask = async (): Promise<Shown> => {
      try {
        const quote = await app.client.own(
          (own) => own.account.quote({ payload: { endpoint, body } }),
          actingKey(app, keyId)
        )
        const [low, high] = [quote.range.least, quote.range.most].map((amount) => costText(dollars(amount)))
        const { input_tokens } = quote.estimated
        const tokens = input_tokens === 0 ? "" : text.tokensIn(number(input_tokens))
        const most = dollars(quote.maximum.cost)
        const likely = low === high ? (low ?? "") : `${low} – ${high}`
        if (most === 0) return { likely, more: tokens, title: text.firstRoute(quote.route.upstream) }
        const [words, more] = text.quote(likely, costText(most), tokens)
        return { likely: words, more, title: text.firstRoute(quote.route.upstream) }
      } catch (error) {
        return { ...nothing, more: error instanceof Refused ? error.message : "" }
      }
    }
    const timer = setTimeout(() => void ask().then((quote) => isLatest && setShown(quote)), quietMs)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [written, family, keyId, isAsked])
  return (
    <span class="num quote" role="status" title={shown.title}>
      {shown.likely}
      <Faint>{shown.more}</Faint>
    </span>
  )
}
