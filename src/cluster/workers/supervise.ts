import { Data, Deferred, Duration, Effect, FiberSet, Queue } from "effect"
import type { Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import { Child } from "./Child.ts"
import type { ChildOptions, Ended } from "./Child.ts"
import { makeWorkerMetrics } from "./counting.ts"

const pingEvery = "1 second"
/** A worker that ends within this time, in ms, counts as a failed start, which delays further starts. */
const wellAfterMs = 5_000
const longestPauseMs = 3_000
/** Time to end after the drain deadline, before SIGKILL. */
const grace = Duration.seconds(10)

export interface Supervision extends Pick<ChildOptions, "command" | "env" | "print"> {
  readonly workers: number
  readonly drainDeadline: Duration.Duration
  /** Log lines that could not be printed since the start. */
  readonly dropped: () => number
}

/** The first worker failed to start. The message is one line for the operator; the worker has printed the reason. */
export class NotBegun extends Data.TaggedError("NotBegun")<{ readonly message: string }> {}

interface WorkerPool {
  /** Replaces all workers, one after the other, without refusing requests. */
  readonly replaceAll: Effect.Effect<void>
  /** Makes all workers reload the configuration. */
  readonly hangUp: Effect.Effect<void>
}

/** A request to replace a worker, completed once that is done. */
type Replacement = Deferred.Deferred<void>

/**
 * Runs a fixed number of workers. Ended workers are replaced at once; stuck ones are killed and replaced. The first starts
 * alone, for one-time work such as migrations; if it fails, the start fails. All workers drain when the scope closes.
 */
export const supervise = (options: Supervision): Effect.Effect<WorkerPool, NotBegun, Scope.Scope | Daemons> =>
  Effect.gen(function* () {
    const { command, drainDeadline, env, print, workers } = options
    const children = new Set<Child>()
    const counts = makeWorkerMetrics(children, options.dropped)

    const listening = (child: Child) => {
      children.add(child)
      void child.ended.then(() => {
        children.delete(child)
        counts.gone(child)
      })
      return Effect.map(
        Effect.promise(() => child.up),
        (isUp) => (isUp ? child : undefined)
      )
    }
    /** Starts a worker; undefined if it ends before it listens, or its program is missing (during an upgrade). */
    const begun = (isFirst: boolean) =>
      Effect.matchEffect(
        Effect.try(() => new Child({ command, env, print, isFirst, collect: counts.all })),
        {
          onFailure: ({ error }) => Effect.as(Effect.logError("a worker can't be started", error), undefined),
          onSuccess: listening
        }
      )

    const gone = (child: Child) => Effect.promise(() => child.ended)
    const goneInTime = (child: Child) =>
      Effect.interruptible(
        Effect.catchTag(Effect.timeout(gone(child), Duration.sum(drainDeadline, grace)), "TimeoutException", () =>
          Effect.zipRight(
            Effect.sync(() => child.kill("SIGKILL")),
            gone(child)
          )
        )
      )
    const stopped = (child: Child) =>
      Effect.zipRight(
        Effect.sync(() => child.kill("SIGTERM")),
        goneInTime(child)
      )
    yield* Effect.addFinalizer(() => Effect.forEach(children, stopped, { concurrency: "unbounded", discard: true }))
    const leaving = yield* FiberSet.make()

    /** Starts workers until one listens. */
    const risen = (failures: number): Effect.Effect<Child> =>
      Effect.zipRight(
        failures < 2 ? Effect.void : Effect.sleep(Math.min(100 * 2 ** failures, longestPauseMs)),
        Effect.flatMap(begun(false), (child) => (child === undefined ? risen(failures + 1) : Effect.succeed(child)))
      )

    /** Keeps one worker running. */
    const keep = (replacements: Queue.Dequeue<Replacement>, first: Child | undefined) => {
      let child = first
      let begunAt = performance.now()
      let failures = 0
      const replaced = Effect.fnUntraced(function* (former: Child, ended: Ended) {
        failures = performance.now() - begunAt < wellAfterMs ? failures + 1 : 0
        counts.replaced()
        child = undefined
        yield* said("worker.ended", "a worker ended and is being replaced", former, { ...ended })
      })
      const relieved = Effect.fnUntraced(function* (former: Child, replacement: Replacement) {
        const other = yield* begun(false)
        if (other === undefined) yield* Effect.logError("a worker was not replaced: its replacement did not start")
        else {
          former.tell({ type: "leave" })
          yield* FiberSet.run(leaving, goneInTime(former))
          child = other
          begunAt = performance.now()
        }
        yield* Deferred.succeed(replacement, undefined)
      })
      const next = Effect.gen(function* () {
        if (child === undefined) {
          child = yield* risen(failures)
          begunAt = performance.now()
        }
        const present = child
        yield* Effect.flatten(
          Effect.raceFirst(
            Effect.map(replacements.take, (replacement) => relieved(present, replacement)),
            Effect.map(gone(present), (ended) => replaced(present, ended))
          )
        )
      })
      return daemon("workers.keep", Effect.succeed(next), backoff)
    }

    const ping = Effect.suspend(() =>
      Effect.forEach(
        [...children].filter((child) => child.ping()),
        (child) =>
          Effect.zipRight(
            said("worker.stuck", "a worker does not answer and was killed", child, {}),
            Effect.sync(() => child.kill("SIGKILL"))
          ),
        { discard: true }
      )
    )
    yield* daemon("workers.ping", Effect.as(ping, Effect.sleep(pingEvery)), backoff)

    const first = yield* begun(true)
    if (first === undefined) return yield* new NotBegun({ message: "the first worker did not start" })
    const others = Array.from({ length: workers - 1 }, () => begun(false))
    const replacements: Array<Queue.Enqueue<Replacement>> = []
    for (const child of [first, ...(yield* Effect.all(others, { concurrency: "unbounded" }))]) {
      const place = yield* Queue.unbounded<Replacement>()
      replacements.push(place)
      yield* keep(place, child)
    }
    const replaced = (place: Queue.Enqueue<Replacement>) =>
      Effect.flatMap(Deferred.make<void>(), (replacement) =>
        Effect.zipRight(place.offer(replacement), Deferred.await(replacement))
      )
    return {
      replaceAll: Effect.forEach(replacements, replaced, { discard: true }),
      hangUp: Effect.sync(() => {
        for (const child of children) child.kill("SIGHUP")
      })
    }
  })

const said = (event: string, message: string, { pid }: Child, more: Readonly<Record<string, unknown>>) =>
  Effect.annotateLogs(Effect.logWarning(message), { event, pid, ...more })
