import { Effect } from "effect"
import { countAt, isCount, parseJson } from "../../contract/json/json.ts"
import { callUpstream } from "../calls/client.ts"
import type { Call } from "../calls/client.ts"
import type { Exchange } from "../calls/Exchange.ts"

/** The caller waits for this count before its real request, so a local estimate is better than a slow answer. */
const deadlines = { connectMs: 2_000, firstByteMs: 5_000, idleMs: 5_000 }
const answerLimit = 65_536

/** As Anthropic tells a count, as Bedrock does, and as Google does. */
const names = ["input_tokens", "inputTokens", "totalTokens"] as const

/** Asks an upstream for the count of a request's tokens; undefined if it refuses. */
export const askCount = (call: Omit<Call, "deadlines">): Effect.Effect<number | undefined> =>
  callUpstream({ ...call, deadlines }).pipe(
    Effect.flatMap((exchange) =>
      exchange.status === 200
        ? Effect.map(textOf(exchange), (text) => {
            const answer = parseJson(text)
            return names.map((name) => countAt(answer, name)).find((count) => count !== undefined && isCount(count))
          })
        : Effect.sync(() => {
            exchange.release()
            return undefined
          })
    ),
    Effect.orElseSucceed(() => undefined)
  )

const textOf = (exchange: Exchange) =>
  Effect.tryPromise(() => exchange.text(answerLimit)).pipe(
    Effect.onInterrupt(() => Effect.sync(() => exchange.cancel()))
  )
