import { Data, Deferred, Duration, Effect, FiberSet, Queue } from "effect"
import type { Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import { Child } from "./Child.ts"
import type { ChildOptions, Ended } from "./Child.ts"
import { counting } from "./counting.ts"

/** How often a worker is asked whether it is there. */
const pingEvery = "1 second"
/** One that ends sooner after its start than this is not well: the next but one is begun later, in ms. */
const wellAfterMs = 5_000
const longestPauseMs = 3_000
/** What a worker has beyond the drain's deadline to be gone. */
const grace = Duration.seconds(10)

export interface Supervision extends Pick<ChildOptions, "command" | "env" | "print"> {
  readonly workers: number
  readonly drainDeadline: Duration.Duration
  /** Lines that could not be printed since the start. */
  readonly dropped: () => number
}

/** The message is one line for the operator; why, the worker has said itself. */
class NotBegun extends Data.TaggedError("NotBegun")<{ readonly message: string }> {}

interface Crew {
  /** Replaces all workers by new ones, one after the other; nobody is refused meanwhile. */
  readonly replaceAll: Effect.Effect<void>
  /** Has each read the configuration again. */
  readonly hangUp: Effect.Effect<void>
}

/** To be answered once a worker has been replaced. */
type Wish = Deferred.Deferred<void>

/**
 * Keeps so many processes serving: one that ends is replaced at once, one that is stuck is killed and replaced. The first
 * comes up alone, which makes what is made once; where it can't, neither can the others. When the scope closes all of
 * them drain.
 */
export const supervise = (options: Supervision): Effect.Effect<Crew, NotBegun, Scope.Scope | Daemons> =>
  Effect.gen(function* () {
    const { command, drainDeadline, env, print, workers } = options
    const children = new Set<Child>()
    const counts = counting(children, options.dropped)

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
    /** A worker that listens; undefined where it ended before, or its program is not there (it may be being installed). */
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

    /** Begins workers until one listens. */
    const risen = (failures: number): Effect.Effect<Child> =>
      Effect.zipRight(
        failures < 2 ? Effect.void : Effect.sleep(Math.min(100 * 2 ** failures, longestPauseMs)),
        Effect.flatMap(begun(false), (child) => (child === undefined ? risen(failures + 1) : Effect.succeed(child)))
      )

    /** Keeps one place filled. */
    const keep = (wishes: Queue.Dequeue<Wish>, first: Child | undefined) => {
      let child = first
      let begunAt = performance.now()
      let failures = 0
      const replaced = Effect.fnUntraced(function* (former: Child, ended: Ended) {
        failures = performance.now() - begunAt < wellAfterMs ? failures + 1 : 0
        counts.replaced()
        child = undefined
        yield* said("worker.ended", "a worker ended, and is replaced", former, { ...ended })
      })
      const relieved = Effect.fnUntraced(function* (former: Child, wish: Wish) {
        const other = yield* begun(false)
        if (other === undefined) yield* Effect.logError("a worker stays as it is: the one in its place did not come up")
        else {
          former.tell({ type: "leave" })
          yield* FiberSet.run(leaving, goneInTime(former))
          child = other
          begunAt = performance.now()
        }
        yield* Deferred.succeed(wish, undefined)
      })
      const next = Effect.gen(function* () {
        if (child === undefined) {
          child = yield* risen(failures)
          begunAt = performance.now()
        }
        const present = child
        yield* Effect.flatten(
          Effect.raceFirst(
            Effect.map(wishes.take, (wish) => relieved(present, wish)),
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
            said("worker.stuck", "a worker does not answer, and is killed", child, {}),
            Effect.sync(() => child.kill("SIGKILL"))
          ),
        { discard: true }
      )
    )
    yield* daemon("workers.ping", Effect.as(ping, Effect.sleep(pingEvery)), backoff)

    const first = yield* begun(true)
    if (first === undefined) return yield* new NotBegun({ message: "the first worker did not come to serve" })
    const others = Array.from({ length: workers - 1 }, () => begun(false))
    const wishes: Array<Queue.Enqueue<Wish>> = []
    for (const child of [first, ...(yield* Effect.all(others, { concurrency: "unbounded" }))]) {
      const place = yield* Queue.unbounded<Wish>()
      wishes.push(place)
      yield* keep(place, child)
    }
    const replaced = (place: Queue.Enqueue<Wish>) =>
      Effect.flatMap(Deferred.make<void>(), (wish) => Effect.zipRight(place.offer(wish), Deferred.await(wish)))
    return {
      replaceAll: Effect.forEach(wishes, replaced, { discard: true }),
      hangUp: Effect.sync(() => {
        for (const child of children) child.kill("SIGHUP")
      })
    }
  })

const said = (event: string, message: string, { pid }: Child, more: Readonly<Record<string, unknown>>) =>
  Effect.annotateLogs(Effect.logWarning(message), { event, pid, ...more })
