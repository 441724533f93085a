import { Effect } from "effect"
import type { SearchOutcome, SearchTool } from "../generation/Conversation.ts"
import { callUpstream } from "../upstreams/calls/client.ts"
import type { Call, Deadlines } from "../upstreams/calls/client.ts"
import { parseJson } from "../contract/json/json.ts"
import { select } from "./select.ts"
import type { ProviderResult } from "./select.ts"

const deadlines: Deadlines = { connectMs: 5_000, firstByteMs: 15_000, idleMs: 5_000 }
const answerLimit = 4 * 1024 * 1024

/** Sends a search to a provider over HTTP and parses the results. */
export const callProvider = (
  call: Omit<Call, "deadlines">,
  tool: SearchTool,
  read: (answer: unknown) => ReadonlyArray<ProviderResult>
): Effect.Effect<SearchOutcome> =>
  callUpstream({ ...call, deadlines }).pipe(
    Effect.flatMap((exchange) =>
      Effect.tryPromise(() => exchange.text(answerLimit)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => exchange.cancel())),
        Effect.flatMap((text): Effect.Effect<SearchOutcome> => {
          const answer = parseJson(text)
          if (exchange.status !== 200 || answer === undefined) return refuse(call.url, exchange.status)
          return Effect.succeed({ type: "results", results: select(read(answer), tool) })
        })
      )
    ),
    Effect.catchAll(() => Effect.as(Effect.logWarning("the search provider did not answer"), unavailable))
  )

const unavailable: SearchOutcome = { type: "error", code: "unavailable" }

const refuse = (url: string, status: number): Effect.Effect<SearchOutcome> =>
  status === 429
    ? Effect.succeed({ type: "error", code: "too_many_requests" })
    : Effect.logError("the search provider refused a search").pipe(
        Effect.annotateLogs({ host: URL.parse(url)?.host ?? "", status }),
        Effect.as(unavailable)
      )
