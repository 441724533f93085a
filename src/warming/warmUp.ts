import { Context, Data, Effect, Logger, LogLevel, Redacted } from "effect"
import type { GatewaySettings } from "../config/Settings.ts"
import { callUpstream } from "../upstreams/client.ts"
import { dialectsOf } from "./dialects.ts"
import { questions } from "./questions.ts"
import type { Question } from "./questions.ts"
import { startTwin } from "./Twin.ts"
import type { Twin } from "./Twin.ts"

/** How often each question is asked at most. */
const rounds = 30
/** No round begins after it, in ms: a slow machine has enough of it by then. */
const enoughMs = 2_000
/** A twin that has not even been asked by then never will be. */
const longest = "5 seconds"
/** So many at a time: each takes two of the calls that the process may make at once. */
const concurrency = 4
/** All of it happens in this process. */
const deadlines = { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 }
/** Bytes of an answer; those of the canned upstream have a few thousand. */
const longestAnswer = 1024 * 1024

/** The twin did not answer as it should. */
class WentWrong extends Data.TaggedError("WentWrong")<{ readonly message: string }> {}

const ask = ({ key, url }: Twin, { body, holds, path }: Question) =>
  Effect.acquireUseRelease(
    Effect.interruptible(
      callUpstream({
        url: `${url}${path}`,
        headers: { authorization: `Bearer ${Redacted.value(key)}` },
        body: JSON.stringify(body),
        deadlines
      })
    ),
    (exchange) =>
      Effect.tryPromise({
        try: () => exchange.text(longestAnswer),
        catch: () => new WentWrong({ message: `${path} broke off` })
      }).pipe(
        Effect.filterOrFail(
          (text) => exchange.status === 200 && holds.every((word) => text.includes(word)),
          (text) => new WentWrong({ message: `${path} answered ${exchange.status}: ${text.slice(0, 200)}` })
        )
      ),
    (exchange) => Effect.sync(() => exchange.cancel())
  )

/**
 * Has the process serve some hundreds of requests to itself, so that what callers' first requests run is loaded and
 * compiled by then: without it the first streams wait for a tenth of a second. It is a gateway of its own that serves them
 * ({@link startTwin}); they leave nothing behind. Only what the configured upstreams speak is asked for.
 *
 * @returns how many were answered
 */
export const warmUp = (settings: GatewaySettings): Effect.Effect<number, unknown> =>
  Effect.gen(function* () {
    const twin = yield* startTwin(settings, dialectsOf(settings))
    const asked = twin.models.flatMap(questions)
    const begun = performance.now()
    let answered = 0
    for (let round = 0; round < rounds && performance.now() - begun < enoughMs; round++) {
      yield* Effect.forEach(asked, (question) => ask(twin, question), { concurrency, discard: true })
      answered += asked.length
    }
    return answered
  }).pipe(
    Effect.scoped,
    // What this process is given of others (its supervisor, whoever collects its spans) is not the twin's.
    Effect.mapInputContext<never, never>(Context.empty),
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.timeout(longest)
  )
