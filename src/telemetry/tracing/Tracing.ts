import { layerJson, layerProtobuf } from "@effect/opentelemetry/OtlpSerialization"
import { FetchHttpClient } from "@effect/platform"
import { Context, Effect, Layer } from "effect"
import type { RequestRecord } from "../../contract/RequestRecord.ts"
import { readContext, Trace } from "../../contract/Trace.ts"
import { Daemons } from "../../flow/Daemons.ts"
import type { OtlpSettings } from "./otlpSettings.ts"
import { requestSpans } from "./requestSpans.ts"
import type { Sampler } from "./sampler.ts"
import { makeSpanQueue } from "./SpanQueue.ts"
import type { SpanQueue } from "./SpanQueue.ts"
import { deliverySpan, lifeOf, taskSpan, turnSpans } from "./taskSpans.ts"
import type { TracedDelivery, TracedTask, Turned } from "./taskSpans.ts"

/** Tasks that this process is known to have had, at most. */
const mostKnown = 10_000

/** What becomes spans, each told when it is over, by plain calls. */
export interface Tracing {
  /** A request's place in a trace; undefined where nothing is recorded, and nobody else records it. */
  readonly begin: (headers: Headers) => Trace | undefined
  readonly request: (record: RequestRecord, trace: Trace) => void
  /** A task that this process has made. */
  readonly made: (task: Pick<TracedTask, "id" | "trace">) => void
  /** A turn of a task begins; undefined where it is not recorded. */
  readonly turn: (task: TracedTask) => Trace | undefined
  /** The turn is over. A video is looked for hundreds of times: where nothing came of that there is no span. */
  readonly turned: (turn: Trace, how: Turned) => void
  /** A task has come into its last state. */
  readonly ended: (task: TracedTask) => void
  /** An attempt to call back begins. @param made the `trace` of the task that is told of */
  readonly delivery: (taskId: string, made: string | null) => Trace | undefined
  readonly delivered: (trace: Trace, delivery: TracedDelivery) => void
  readonly counts: SpanQueue["counts"]
}

/** Who records; undefined where nobody does, and the path of a request has one branch for it and nothing else. */
export class CurrentTracing extends Context.Reference<CurrentTracing>()("gateway/telemetry/tracing/CurrentTracing", {
  defaultValue: (): Tracing | undefined => undefined
}) {}

const makeTracing = (sampler: Sampler, queue: SpanQueue): Tracing => {
  /** Those of which this process recorded something: a later turn was not taken over from another one. */
  const known = new Set<string>()
  const know = (id: string): boolean => {
    if (known.has(id)) return true
    if (known.size >= mostKnown) known.delete(known.values().next().value ?? "")
    known.add(id)
    return false
  }
  /** Below a task's life. */
  const below = (id: string, trace: string | null): Trace | undefined => {
    const life = lifeOf({ id, trace })
    return life === undefined ? undefined : new Trace(life, true)
  }
  const takenOver = new WeakSet<Trace>()

  return {
    begin: (headers) => {
      const parent = readContext(headers.get("traceparent"))
      const isSampled = sampler(parent)
      if (!isSampled && parent === undefined) return undefined
      const state = parent === undefined ? null : headers.get("tracestate")
      return new Trace(parent, isSampled, state !== null && state.length <= longestState ? state : undefined)
    },
    request: (record, trace) => {
      if (trace.isSampled) queue.add(requestSpans(record, trace))
    },
    made: ({ id, trace }) => {
      if (trace !== null) know(id)
    },
    turn: (task) => {
      const turn = below(task.id, task.trace)
      if (turn !== undefined && !know(task.id)) takenOver.add(turn)
      return turn
    },
    turned: (turn, how) => {
      const isTakenOver = takenOver.has(turn)
      if (!how.isUneventful || isTakenOver) queue.add(turnSpans(turn, { ...how, isTakenOver }))
    },
    ended: (task) => {
      const life = lifeOf(task)
      if (life === undefined) return
      known.delete(task.id)
      queue.add([taskSpan(task, life)])
    },
    delivery: below,
    delivered: (trace, delivery) => queue.add([deliverySpan(trace, delivery)]),
    counts: queue.counts
  }
}

/** As the standard bounds it. */
const longestState = 512

/** Records what the sampler takes, and sends it to the collector, for as long as the scope lives. */
export const tracingTo = (settings: OtlpSettings): Layer.Layer<never> =>
  Layer.scoped(
    CurrentTracing,
    Effect.map(makeSpanQueue(settings), (queue) => makeTracing(settings.sampler, queue))
  ).pipe(
    Layer.provide(settings.protocol === "http/json" ? layerJson : layerProtobuf),
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(Daemons.Default)
  )
