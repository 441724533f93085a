import { outcomeOf } from "./outcome.ts"

/** The reason of an outcome, and what that means for its caller. */
interface Why {
  readonly what: string
  readonly so: string
}

const why = (what: string, so: string): Why => ({ what, so })

const byStatus: Readonly<Record<number, Why>> = {
  400: why("The request itself was wrong.", "Its error says which field; nothing was sent or charged."),
  401: why("The key is not accepted.", "It is unknown, revoked or expired."),
  402: why(
    "The request’s maximum cost exceeds the account’s available balance.",
    "Add credit, or lower its token limit."
  ),
  403: why("The key may not use this model.", "Add a pattern to the key that matches it."),
  404: why("The requested object does not exist.", "Nothing was sent or charged."),
  429: why("A limit was reached, or the upstream’s was.", "Raise the key’s or account’s limit, or spread the load.")
}

const byOutcome = {
  refused: why("The request was refused.", "Nothing was charged."),
  failed: why("Every route was tried and none answered.", "Nothing was charged; the attempts below show why."),
  cut: why("The answer broke off after it had begun, so nothing was tried again.", "What was received is charged."),
  hang_up: why(
    "The client left before the end. The upstream was told to stop.",
    "What was received until then is charged; nothing if the answer had not begun."
  )
}

/** Why a request did not finish, for readers; undefined if it did. */
export const whyFailed = (request: Parameters<typeof outcomeOf>[0]): Why | undefined => {
  const outcome = outcomeOf(request)
  if (outcome === "finished") return undefined
  return (outcome === "refused" ? byStatus[request.status] : undefined) ?? byOutcome[outcome]
}
