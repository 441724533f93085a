import { Clock, Effect, Either, Option } from "effect"
import type { InvalidRequest } from "../contract/failures/Failure.ts"
import { Configuration } from "../config/Configuration.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { protocolsAt, surfaceOf } from "../config/providers/surfaces.ts"
import type { SurfaceEntry } from "../config/providers/surfaces.ts"
import { Catalogue, entriesOf } from "../catalogue/Catalogue.ts"
import type { Model } from "../catalogue/Catalogue.ts"
import { ModelUse } from "../requests/ModelUse.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import { partOf } from "../routing/Route.ts"
import { UpstreamCalls } from "../routing/UpstreamCalls.ts"
import { protocolOf } from "../upstreams/protocols.ts"
import { TextUpstreams } from "../upstreams/Upstreams.ts"
import { VideoUpstreams } from "../upstreams/videos/VideoUpstream.ts"
import { isoOrNull, isoTime } from "./fields.ts"
import { modelRecord } from "./modelRecord.ts"
import type { ModelRecord, UpstreamRecord } from "./UpstreamRecord.ts"

/** Health of the upstreams, and the models, as this serving process knows them. */
export class Serving extends Effect.Service<Serving>()("gateway/admin/Serving", {
  dependencies: [UpstreamCalls.Default, ModelUse.Default],
  effect: Effect.gen(function* () {
    const configuration = yield* Configuration
    const catalogue = yield* Catalogue
    const bulkheads = yield* Bulkheads
    const calls = yield* UpstreamCalls
    const texts = yield* TextUpstreams
    const videos = yield* VideoUpstreams
    const used = yield* ModelUse

    const recordOf = (name: string, kind: "text" | "video", nowMs: number): UpstreamRecord => {
      const surfaces = surfacesAt(configuration.current().value, name, kind)
      const [usual] = surfaces
      const parts = [name, ...surfaces.slice(1).map(({ protocol }) => partOf({ upstream: name, protocol }))]
      const ofParts = parts.flatMap((part) => bulkheads.get(part) ?? [])
      const [bulkhead] = ofParts
      const { lastAnswerMs, lastFailure, latency, ...counts } = countsOf(
        kind === "text" ? calls.of(name) : calls.ofVideos(name)
      )
      const states = ofParts.map(({ circuit }) => circuit.state(nowMs))
      const circuit = states.find((one) => one === "open") ?? states.find((one) => one === "probing") ?? "closed"
      return {
        object: "upstream",
        name,
        kind,
        protocol: usual === undefined ? null : surfaces.map(({ protocol }) => protocol).join(", "),
        // A query may hold a key.
        base_url: usual?.base_url.replace(/\?.*$/s, "") ?? null,
        models: entriesOf(catalogue)
          .filter((model) => (model.kind === "video") === (kind === "video") && runsAt(model.routes, name))
          .map(({ id }) => id),
        circuit,
        retry_in_seconds:
          circuit === "closed" ? null : Math.max(...ofParts.map((one) => one.circuit.waitMs(nowMs))) / 1_000,
        running: bulkhead?.slots?.running ?? null,
        waiting: bulkhead?.slots?.waiting ?? null,
        ...counts,
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
      ...[...new Set([...texts.values()].map(({ name }) => name))].map((name) => recordOf(name, "text", nowMs)),
      ...[...videos.keys()].map((name) => recordOf(name, "video", nowMs))
    ])

    /** @param since the start of the use to report, as `TimeQuery`; none is reported without it */
    const models = (since?: string): Effect.Effect<ReadonlyArray<ModelRecord>, InvalidRequest> =>
      Effect.map(since === undefined ? Effect.succeed(undefined) : used.of(since, entryOf), (useOf) =>
        entriesOf(catalogue).map((model) => modelRecord(model, { texts, videos }, useOf?.(model.id)))
      )

    /** The id of the entry that serves a model. */
    const entryOf = (model: string) => (catalogue.has(model) ? model : (catalogue.patternOf?.(model) ?? model))

    return { upstreams, models } as const
  })
}) {}

/** The surfaces of a configured upstream for one kind of models. */
const surfacesAt = (file: GatewayFile, name: string, kind: "text" | "video"): ReadonlyArray<SurfaceEntry> => {
  const entry = file.upstreams?.[name]
  return entry === undefined
    ? []
    : protocolsAt(file, name)
        .filter((protocol) => protocolOf(protocol).kind === kind)
        .flatMap((protocol) => Option.toArray(Either.getRight(surfaceOf(entry, protocol))))
}

const countsOf = (of: ReturnType<UpstreamCalls["of"]>) => {
  const { answers, calls, failures, lastAnswerMs, lastFailure, outpaced } = of
  return { calls, answers, failures, outpaced, lastAnswerMs, lastFailure, latency: of.latency() }
}

const runsAt = (routes: Model["routes"], name: string) => routes.some(({ upstream }) => upstream === name)
