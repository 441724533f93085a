import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Duration, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { isBusy } from "../http/turn.ts"
import { CrashPoints } from "./CrashPoints.ts"
import { Leases } from "./Leases.ts"
import type { Held } from "./Leases.ts"
import type { Task } from "./Task.ts"
import { TaskKinds } from "./TaskKind.ts"
import type { Lease, LeaseLost, TaskKind } from "./TaskKind.ts"
import { TaskSettings } from "./TaskSettings.ts"
import { TaskStore } from "./TaskStore.ts"

/** Workers that may die over a task, one after the other, before it is given up. */
export const maxAttempts = 5
/** The safety net: how long the engine sleeps at most when nothing woke it and nothing it knows of is due. */
const pollMs = 5_000
/** How many tasks one claim takes: small statements let requests in between. */
const batch = 100
/** While callers keep the server busy: how many turns begin at once, and how long it is until the next ones may, in ms. */
const polite = { batch: 16, everyMs: 50 } as const
/** How long running turns may take to come to an end when the process stops. */
const patience = Duration.seconds(20)

/** Doubles from 200 ms up to 30 s, with jitter. */
const backoff = Schedule.exponential("200 millis").pipe(
  Schedule.union(Schedule.spaced("30 seconds")),
  Schedule.jittered
)

const daemon = <E, R>(fiber: string, pass: Effect.Effect<void, E, R>) =>
  pass.pipe(
    // A defect of one pass must not be the end of all.
    Effect.catchAllDefect((defect) => Effect.fail(defect)),
    Effect.tapErrorCause((cause) => Effect.logWarning("pass failed", cause)),
    Effect.retry(backoff),
    Effect.forever,
    Effect.annotateLogs({ fiber }),
    Effect.forkScoped
  )

interface Running {
  readonly held: Held
  readonly fiber: Fiber.RuntimeFiber<void>
}

/** Runs what is due, keeps the leases of what runs, ends what is late and removes what is old. */
const start = Effect.gen(function* () {
  const store = yield* TaskStore
  const leases = yield* Leases
  const kinds = yield* TaskKinds
  const crash = yield* CrashPoints
  const settings = yield* TaskSettings
  const running = new Map<string, Running>()
  const inLane = new Map<string, number>()

  const runTurn = (held: Held, kind: TaskKind): Effect.Effect<void, LeaseLost | SqlError> => {
    const lease: Lease = {
      task: held.task,
      request: leases.request(held.task.id),
      rivals: (ids, atMs) => leases.rivals(held.task, ids, atMs),
      write: (patch) => leases.write(held, patch),
      settle: (turn) => Effect.as(leases.settle(held, turn), "settled")
    }
    const turn: ReturnType<TaskKind["run"]> =
      held.task.attempts < maxAttempts ? kind.run(lease) : Effect.succeed(givenUp(kind))
    return crash.at("claimed").pipe(
      Effect.zipRight(turn),
      Effect.flatMap((done) => (done === "settled" ? Effect.void : leases.settle(held, done))),
      Effect.zipRight(crash.at("settled"))
    )
  }

  /** Interruption gives the task back as it is; a defect counts an attempt; a database that says no does not. */
  const guarded = (held: Held, kind: TaskKind): Effect.Effect<void> => {
    const giveBack = (crashed: boolean, againInMs: number) =>
      leases.release(held, { crashed, againInMs }).pipe(
        Effect.retry({ schedule: backoff, while: (error) => error._tag === "SqlError" }),
        Effect.interruptible,
        Effect.timeout("5 seconds"),
        Effect.catchTag("LeaseLost", () => Effect.void),
        Effect.catchAll((error) => Effect.logWarning("a task was not given back; its lease will run out", error))
      )
    return Effect.interruptible(runTurn(held, kind)).pipe(
      Effect.catchTags({
        LeaseLost: () => Effect.logDebug("the task was handed on or ended"),
        SqlError: (error) => Effect.zipRight(Effect.logWarning("a turn was not stored", error), giveBack(false, 1_000))
      }),
      Effect.catchAllDefect((defect) =>
        Effect.zipRight(Effect.logError("a worker crashed", defect), giveBack(true, 1_000))
      ),
      Effect.onInterrupt(() => giveBack(false, 0)),
      Effect.annotateLogs({ task: held.task.id })
    )
  }

  const begin = (held: Held, kind: TaskKind) =>
    Effect.suspend(() => {
      const { id, lane } = held.task
      // Ours already: the process was paused past the lease. The old turn can't write any more.
      const before = running.get(id)
      const work = guarded(held, kind)
      inLane.set(lane, (inLane.get(lane) ?? 0) + 1)
      return (before === undefined ? work : Effect.zipRight(Fiber.interrupt(before.fiber), work)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (running.get(id)?.held === held) running.delete(id)
            inLane.set(lane, (inLane.get(lane) ?? 1) - 1)
            store.due.ring()
          })
        ),
        Effect.uninterruptible,
        Effect.forkDaemon,
        Effect.map((fiber) => {
          if (fiber.unsafePoll() === null) running.set(id, { held, fiber })
        })
      )
    })

  /** Takes what is due in every lane with room; answers how long nothing more can be due. */
  const claimDue = Effect.gen(function* () {
    let sleepMs = pollMs
    const lanes = yield* leases.lanes
    const most = isBusy() ? Math.ceil(polite.batch / Math.max(1, lanes.length)) : batch
    for (const { due, lane } of lanes) {
      const kind = kinds.get(lane.slice(0, lane.indexOf(":")))
      const room = Math.min((kind?.parallel ?? 0) - (inLane.get(lane) ?? 0), most)
      if (kind === undefined || room <= 0) continue
      const nowMs = yield* Clock.currentTimeMillis
      if (due > nowMs) {
        sleepMs = Math.min(sleepMs, due - nowMs)
        continue
      }
      // Whoever is claimed is begun, also when the process is asked to stop in between: only then is it given back.
      const claimed = yield* leases
        .claim(lane, room)
        .pipe(Effect.tap(Effect.forEach((held) => begin(held, kind), { discard: true })), Effect.uninterruptible)
      if (claimed.length > 0) sleepMs = 0
    }
    return sleepMs
  })

  const claims = Effect.flatMap(claimDue, (ms) => {
    // Nobody waits for a turn as a caller waits for an answer.
    if (isBusy()) return Effect.sleep(polite.everyMs)
    return ms === 0 ? Effect.yieldNow() : Effect.timeoutOption(store.due.heard, ms)
  })

  /** Keeps the leases of running turns, and stops a turn whose lease went to somebody else. */
  const renewals = Effect.gen(function* () {
    yield* Effect.sleep(leases.leaseMs / 3)
    const all = [...running.values()]
    for (let from = 0; from < all.length; from += 200) {
      const some = all.slice(from, from + 200)
      const kept = yield* leases.renew(some.map((one) => one.held))
      for (const one of some) {
        const { id } = one.held.task
        if (!kept.has(id) && running.get(id) === one) yield* Fiber.interruptFork(one.fiber)
      }
    }
  })

  /** Best effort: nobody will want it. Not waited for, and lost if the process dies now. */
  const stopUpstream = (task: Task) =>
    Effect.forkDaemon(task.upstreamId === null ? Effect.void : (kinds.get(task.kind)?.cancel?.(task) ?? Effect.void))

  const expiry = Effect.gen(function* () {
    const { expired, nextMs } = yield* store.expireDue
    yield* Effect.forEach(expired, stopUpstream, { discard: true })
    const nowMs = yield* Clock.currentTimeMillis
    const sleep = Option.match(nextMs, { onNone: () => Duration.infinity, onSome: (ms) => Duration.millis(ms - nowMs) })
    yield* Duration.greaterThan(sleep, Duration.zero)
      ? Effect.timeoutOption(store.deadlines.heard, Duration.min(sleep, Duration.minutes(1)))
      : Effect.yieldNow()
  })

  const retention = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const removed = yield* store.purge(nowMs - Duration.toMillis(settings.retention), batch)
    yield* Effect.sleep(removed === batch ? "50 millis" : "1 minute")
  })

  const inherited = yield* leases.takeOver
  if (inherited > 0) yield* Effect.logInfo(`taking over ${inherited} tasks of a process that died`)

  // Last to be made, first to be closed: nothing new is claimed while what runs is asked to stop.
  yield* Effect.addFinalizer(() =>
    Fiber.interruptAll([...running.values()].map((one) => one.fiber)).pipe(
      Effect.interruptible,
      Effect.timeoutOption(patience)
    )
  )
  yield* daemon("taskRenewals", renewals)
  yield* daemon("taskExpiry", expiry)
  yield* daemon("taskRetention", retention)
  yield* daemon("taskClaims", claims)
})

const givenUp = (kind: TaskKind) => ({
  patch: {
    state: "failed",
    error: kind.gaveUp(`the work was started ${maxAttempts} times and never finished`)
  } as const,
  againInMs: 0
})

/** The engine's daemons, for as long as the scope lives. */
export const TaskRunnerLive = Layer.scopedDiscard(start)
