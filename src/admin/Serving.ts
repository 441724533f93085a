import { Clock, Effect } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { Catalogue, entriesOf } from "../catalogue/Catalogue.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { unmatched } from "../catalogue/modelWarnings.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import { CallsOfOne, UpstreamCalls } from "../routing/UpstreamCalls.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { VideoUpstreams } from "../upstreams/VideoUpstream.ts"
import { isoOrNull, isoTime } from "./fields.ts"
import { modelRecord } from "./modelRecord.ts"
import type { UpstreamRecord } from "./UpstreamRecord.ts"

/** Health of the upstreams, and the models, as this serving process knows them. */
export class Serving extends Effect.Service<Serving>()("gateway/admin/Serving", {
  dependencies: [UpstreamCalls.Default],
  effect: Effect.gen(function* () {
    const configuration = yield* Configuration
    const catalogue = yield* Catalogue
    const bulkheads = yield* Bulkheads
    const calls = yield* UpstreamCalls
    const texts = yield* TextUpstreams
    const videos = yield* VideoUpstreams

    const recordOf = (name: string, kind: "text" | "video", nowMs: number): UpstreamRecord => {
      const entry = configuration.current().value.upstreams?.[name]
      const bulkhead = bulkheads.get(name)
      // Calls to video upstreams bypass the bulkhead and are not counted.
      const { answers, failures, lastAnswerMs, lastFailure, latency } = countsOf(
        kind === "text" ? calls.of(name) : new CallsOfOne()
      )
      const circuit = bulkhead?.circuit.state(nowMs) ?? "closed"
      return {
        object: "upstream",
        name,
        kind,
        protocol: entry?.protocol ?? null,
        // A query may hold a key.
        base_url: entry?.base_url.replace(/\?.*$/s, "") ?? null,
        models: entriesOf(catalogue)
          .filter((model) => (model.kind === "video") === (kind === "video") && runsAt(model.routes, name))
          .map(({ id }) => id),
        circuit,
        retry_in_seconds: circuit === "closed" ? null : (bulkhead?.circuit.waitMs(nowMs) ?? 0) / 1_000,
        running: bulkhead?.slots?.running ?? null,
        waiting: bulkhead?.slots?.waiting ?? null,
        answers,
        failures,
        latency_ms: latency ?? null,
        last_answer_at: isoOrNull(lastAnswerMs ?? null),
        last_failure:
          lastFailure === undefined
            ? null
            : { time: isoTime(lastFailure.atMs), status: lastFailure.status ?? null, message: lastFailure.message }
      }
    }

    /** In configuration order, video upstreams last. */
    const upstreams: Effect.Effect<ReadonlyArray<UpstreamRecord>> = Effect.map(Clock.currentTimeMillis, (nowMs) => [
      ...[...texts.keys()].map((name) => recordOf(name, "text", nowMs)),
      ...[...videos.keys()].map((name) => recordOf(name, "video", nowMs))
    ])

    const models = Effect.sync(() =>
      entriesOf(catalogue).map((model) => {
        const name = model.routes[0]?.upstream ?? ""
        return modelRecord(model, { text: texts.get(name), video: videos.get(name) })
      })
    )

    /** The patterns that match no served model. */
    const unmatchedNow = (patterns: ReadonlyArray<string>) =>
      unmatched(
        patterns,
        configuration.current().value,
        entriesOf(catalogue).map(({ id }) => id)
      )

    return { upstreams, models, unmatched: unmatchedNow } as const
  })
}) {}

const countsOf = (of: CallsOfOne) => {
  const { answers, failures, lastAnswerMs, lastFailure } = of
  return { answers, failures, lastAnswerMs, lastFailure, latency: of.latency() }
}

const runsAt = (routes: Model["routes"], name: string) => routes.some(({ upstream }) => upstream === name)
