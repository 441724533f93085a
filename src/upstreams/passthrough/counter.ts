import { Effect, Either, Schema } from "effect"
import { parseJson } from "../../contract/json.ts"
import { callUpstream } from "../client.ts"
import type { Call, Exchange } from "../client.ts"
import type { PassthroughRequest, TextUpstream } from "../Upstream.ts"

/** The caller waits for this count before its real request, so a local estimate is better than a slow answer. */
const deadlines = { connectMs: 2_000, firstByteMs: 5_000, idleMs: 5_000 }
const answerLimit = 65_536

/** As Anthropic tells a count, and as Bedrock does. */
const Counted = Schema.Union(
  Schema.Struct({ input_tokens: Schema.NonNegativeInt }),
  Schema.Struct({ inputTokens: Schema.NonNegativeInt })
)
const decode = Schema.decodeUnknownEither(Counted)

/** Asks an upstream for a request's token count, as Anthropic's API offers it; undefined if it refuses. */
export const counter =
  (
    callOf: (
      request: Pick<PassthroughRequest, "body" | "bodyText" | "headers">,
      upstreamModel: string
    ) => Omit<Call, "deadlines">
  ): NonNullable<TextUpstream["countTokens"]> =>
  (request, upstreamModel) =>
    callUpstream({ ...callOf(request, upstreamModel), deadlines }).pipe(
      Effect.flatMap((exchange) =>
        exchange.status === 200
          ? Effect.map(textOf(exchange), (text) =>
              Either.match(decode(parseJson(text)), {
                onLeft: () => undefined,
                onRight: (counted) => ("input_tokens" in counted ? counted.input_tokens : counted.inputTokens)
              })
            )
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
