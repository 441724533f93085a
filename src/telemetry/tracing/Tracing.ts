import { Context, Effect } from "effect"
import type { Scope } from "effect"
import type { RequestRecord } from "../../contract/records/RequestRecord.ts"
import { readContext, Trace } from "../../contract/records/Trace.ts"
import type { TracedContents } from "../../contract/records/Trace.ts"
import type { ExportQueue } from "../otlp/ExportQueue.ts"
import type { OtlpSpan } from "./OtlpSpan.ts"
import { requestSpans } from "./requestSpans.ts"
import type { Sampler } from "./sampler.ts"
import { deliverySpan, lifeOf, taskSpan, turnSpans } from "./taskSpans.ts"
import type { TracedDelivery, TracedTask, FinishedTurn } from "./taskSpans.ts"

/** The most tasks of this process to remember. */
const mostKnown = 10_000

/** Records spans, with plain calls at their ends. */
export interface Tracing {
  /** Starts a request's span; undefined if it is not sampled and continues no trace. */
  readonly begin: (headers: Headers) => Trace | undefined
  readonly request: (record: RequestRecord, trace: Trace) => void
  /** A task was created by this process. */
  readonly made: (task: Pick<TracedTask, "id" | "trace">) => void
  /** Starts the span of a task's turn; undefined if it is not sampled. */
  readonly turn: (task: TracedTask) => Trace | undefined
  /** Ends a turn's span. Uneventful turns are dropped, because a video is polled hundreds of times. */
  readonly turned: (turn: Trace, how: FinishedTurn) => void
  /** A task has reached its final state. */
  readonly ended: (task: TracedTask) => void
  /** Starts the span of a callback attempt. @param made the reported task's `trace` */
  readonly delivery: (taskId: string, made: string | null) => Trace | undefined
  readonly delivered: (trace: Trace, delivery: TracedDelivery) => void
  readonly counts: ExportQueue<OtlpSpan>["counts"]
}

/** Undefined if tracing is off, which costs a request one branch. */
export class CurrentTracing extends Context.Reference<CurrentTracing>()("gateway/telemetry/tracing/CurrentTracing", {
  defaultValue: (): Tracing | undefined => undefined
}) {}

/** Ms that an ended request's spans wait for its contents, which are read along with the answer. */
const longestWaitMs = 5_000

/** The contents, or nothing if they don't come in time. */
const inTime = (contents: Promise<TracedContents>): Promise<TracedContents | undefined> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, longestWaitMs)
    const settle = (told?: TracedContents) => {
      clearTimeout(timer)
      resolve(told)
    }
    contents.then(settle, () => settle())
  })

/** Gives ended spans to the queue. */
export const makeTracing = (
  sampler: Sampler,
  queue: ExportQueue<OtlpSpan>
): Effect.Effect<Tracing, never, Scope.Scope> =>
  Effect.gen(function* () {
    /** Requests whose contents are not there yet. */
    const waiting = new Set<Promise<void>>()
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(waiting)))
    /** Queues spans, once the contents of their trace are there. */
    const add = (trace: Trace, spans: (contents?: TracedContents) => ReadonlyArray<OtlpSpan>): void => {
      if (trace.contents === undefined) return queue.add(spans())
      const added = inTime(trace.contents).then((contents) => {
        waiting.delete(added)
        queue.add(spans(contents))
      })
      waiting.add(added)
    }
    /** Tasks that this process has recorded: their further turns were not taken over. */
    const known = new Set<string>()
    const know = (id: string): boolean => {
      if (known.has(id)) return true
      if (known.size >= mostKnown) known.delete(known.values().next().value ?? "")
      known.add(id)
      return false
    }
    /** Starts a span below the task's. */
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
        if (trace.isSampled) add(trace, (contents) => requestSpans(record, trace, contents))
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
        if (how.isUneventful && !isTakenOver) return
        const overMs = turn.timeOf(performance.now())
        add(turn, (contents) => turnSpans(turn, { ...how, contents, isTakenOver, overMs }))
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
  })

/** W3C Trace Context's bound on `tracestate`. */
const longestState = 512
