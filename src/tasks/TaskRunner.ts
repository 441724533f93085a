import { Cause, Clock, Duration, Effect, Exit, Fiber, FiberId, Layer, Option } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { isBusy, pause } from "../flow/eventLoop.ts"
import { NamedSlots } from "../flow/NamedSlots.ts"
import { backoff } from "../flow/schedules.ts"
import { Slots } from "../flow/Slots.ts"
import type { Slot } from "../flow/Slots.ts"
import { Node } from "../cluster/Node.ts"
import { DatabaseHealth } from "../sql/DatabaseHealth.ts"
import { onNotice, Notices } from "../sql/Notices.ts"
import { CrashPoints } from "./CrashPoints.ts"
import { tracedBy } from "../contract/records/Trace.ts"
import type { Trace } from "../contract/records/Trace.ts"
import { TraceHeaders } from "../telemetry/tracing/TraceHeaders.ts"
import { CurrentTracing } from "../telemetry/tracing/Tracing.ts"
import type { StoreFailure } from "./StoreFailure.ts"
import type { Task } from "./Task.ts"
import { changesNothing } from "./store/TaskRow.ts"
import { makeWake } from "./Wake.ts"
import { TaskChanges } from "./TaskChanges.ts"
import { givenUp, maxAttempts } from "./maxAttempts.ts"
import { TaskKinds } from "./TaskKind.ts"
import type { Lease, LeaseLost, TaskKind } from "./TaskKind.ts"
import { LeaseTime, TaskSettings } from "./TaskSettings.ts"
import type { LeasedTask } from "./TaskStorage.ts"
import { TaskStore } from "./TaskStore.ts"

/** The longest sleep while no known task is due: other nodes may store tasks, and their notices may be lost. */
const pollMs = { shared: 5_000, alone: 60_000 } as const
/** How often other nodes are notified of tasks that this one has no room for. */
const hintEveryMs = 250
/** The pause while the database's file is missing. */
const lookAgainMs = 1_000
/** Tasks per claim: short statements let requests run in between. */
const batch = 100
/** Claimed tasks of a lane that wait because their account has its share of places; others are claimed behind them. */
const mostWaiting = 4_096
/** While the server is busy with requests: the turns that begin at once, and the pause between them, in ms. */
const polite = { batch: 16, everyMs: 50 } as const
const giveWay = Effect.promise(() => pause(polite.everyMs))
/**
 * The same for a lane whose upstream does not answer: 11,000 tasks that each retried every half minute kept the thread
 * busy. All become due as soon as one gets an answer.
 */
const tentative = { batch: 10, everyMs: 250 } as const
/** How long running turns may take to end when the process stops. */
const longestStop = Duration.seconds(20)

interface RunningTurn {
  readonly leased: LeasedTask
  readonly fiber: Fiber.RuntimeFiber<void>
}

/** Runs due tasks, renews the leases of running ones, expires late ones and removes old ones. */
const start = Effect.gen(function* () {
  const store = yield* TaskStore
  const { bells } = yield* TaskChanges
  const node = yield* Node
  const notices = yield* Notices
  const kinds = yield* TaskKinds
  const crash = yield* CrashPoints
  const durability = yield* DatabaseHealth
  const settings = yield* TaskSettings
  const leaseMs = Duration.toMillis(yield* LeaseTime)
  const tracing = yield* CurrentTracing
  const running = new NamedSlots<RunningTurn>()
  const begun = makeWake() // Rings when a turn begins.
  const clock = yield* Effect.clock
  const lanePlaces = new Map<string, Slots>()
  const placesOf = (lane: string, { parallel }: TaskKind): Slots => {
    let places = lanePlaces.get(lane)
    if (places === undefined) lanePlaces.set(lane, (places = new Slots(parallel, clock)))
    return places
  }

  /** Passes the trace on to upstream calls. The failure of a turn is recorded in it. */
  const recorded = (turn: ReturnType<TaskKind["run"]>, task: Task, trace: Trace) =>
    turn.pipe(
      Effect.provideService(TraceHeaders, trace.headers()),
      Effect.annotateLogs(tracedBy(trace)),
      Effect.onExit((exit) =>
        Effect.sync(() =>
          tracing?.turned(trace, {
            task,
            error: Exit.isFailure(exit) ? Cause.pretty(exit.cause).split("\n")[0] : undefined,
            isUneventful: Exit.isSuccess(exit) && exit.value !== "settled" && changesNothing(task, exit.value.patch)
          })
        )
      )
    )

  const runTurn = (leased: LeasedTask, kind: TaskKind): Effect.Effect<void, LeaseLost | StoreFailure> => {
    const { task } = leased
    const trace = tracing?.turn(task)
    const lease: Lease = {
      task,
      trace,
      request: store.request(leased.task.id),
      rivals: (ids, atMs) => store.rivals(leased.task, ids, atMs),
      stored: store.find(task.account, task.kind, task.id),
      held: store.held(leased),
      write: (patch) => store.write(leased, patch),
      settle: (turn) => Effect.as(store.settle(leased, turn), "settled"),
      removeHeld: (error, behind) => Effect.as(store.removeHeld(leased, error, behind), "settled")
    }
    const turn: ReturnType<TaskKind["run"]> =
      task.attempts < maxAttempts ? kind.run(lease) : Effect.succeed(givenUp(kind))
    const traced = trace === undefined ? turn : recorded(turn, task, trace)
    return crash.at("claimed").pipe(
      Effect.zipRight(traced),
      Effect.flatMap((done) => (done === "settled" ? Effect.void : store.settle(leased, done))),
      Effect.zipRight(crash.at("settled"))
    )
  }

  /** Interruption gives the task back unchanged; a defect counts an attempt; a database failure does not. */
  const guarded = (leased: LeasedTask, kind: TaskKind, slot: Slot): Effect.Effect<void> => {
    const giveBack = (crashed: boolean, againInMs: number) =>
      store.release(leased, { crashed, againInMs }).pipe(
        Effect.retry({ schedule: backoff, while: (error) => error._tag === "StoreFailure" }),
        Effect.interruptible,
        Effect.timeout("5 seconds"),
        Effect.catchTag("LeaseLost", () => Effect.void),
        Effect.catchAll((error) => Effect.logWarning("a task was not given back; its lease will expire", error))
      )
    const turn = runTurn(leased, kind)
    return Effect.interruptible(slot.isFree ? turn : Effect.zipRight(slot.turn, turn)).pipe(
      Effect.catchTags({
        LeaseLost: () => Effect.logDebug("the task was handed on or ended"),
        StoreFailure: (error) =>
          Effect.zipRight(Effect.logWarning("a turn was not stored", error), giveBack(false, 1_000))
      }),
      Effect.catchAllDefect((defect) =>
        Effect.zipRight(Effect.logError("a worker crashed", defect), giveBack(true, 1_000))
      ),
      Effect.onInterrupt(() => giveBack(false, 0)),
      Effect.annotateLogs({ task: leased.task.id })
    )
  }

  const begin = (leased: LeasedTask, kind: TaskKind) =>
    Effect.suspend(() => {
      const { account, id, lane } = leased.task
      // This process already holds it, but was paused past its lease. The old turn can't write any more.
      const before = running.get(id)
      const slot = placesOf(lane, kind).take(account)
      const work = guarded(leased, kind, slot)
      return (before === undefined ? work : Effect.zipRight(Fiber.interrupt(before.fiber), work)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (running.get(id)?.leased === leased) running.delete(id)
            slot.leave()
            bells.due.ring()
          })
        ),
        Effect.uninterruptible,
        Effect.forkDaemon,
        Effect.map((fiber) => {
          if (fiber.unsafePoll() === null) {
            running.set(id, { leased, fiber })
            begun.ring()
          }
        })
      )
    })

  const left = new Map<string, number>()
  /** Leaves tasks to other processes when this one is full. Returns the time until the next check, in ms. */
  const leaveToOthers = (lane: string, nowMs: number): number => {
    if (!node.isShared) return pollMs.alone
    const againInMs = (left.get(lane) ?? -Infinity) + hintEveryMs - nowMs
    if (againInMs > 0) return againInMs
    left.set(lane, nowMs)
    notices.notify("tasks.due", lane)
    return hintEveryMs
  }

  const triedAt = new Map<string, number>()
  /** The time until the next turns of a lane without an answering upstream may begin, in ms. */
  const patienceFor = (lane: string, nowMs: number): number =>
    Math.min(tentative.everyMs, (triedAt.get(lane) ?? -Infinity) + tentative.everyMs - nowMs)

  /** Claims due tasks in every lane with room; returns how long nothing more can be due. */
  const claimDue = Effect.gen(function* () {
    let sleepMs: number = node.isShared ? pollMs.shared : pollMs.alone
    const lanes = yield* store.lanes
    const most = isBusy() ? Math.ceil(polite.batch / Math.max(1, lanes.length)) : batch
    for (const { due, lane } of lanes) {
      const kind = kinds.get(lane.slice(0, lane.indexOf(":")))
      const nowMs = yield* Clock.currentTimeMillis
      const isSilent = kind?.isSilent?.(lane, nowMs) === true
      const patienceMs = isSilent ? patienceFor(lane, nowMs) : 0
      if (patienceMs > 0) {
        sleepMs = Math.min(sleepMs, patienceMs)
        continue
      }
      const room = Math.min(
        kind === undefined ? 0 : claimable(placesOf(lane, kind), kind),
        isSilent ? tentative.batch : most
      )
      if (room <= 0 && due <= nowMs) sleepMs = Math.min(sleepMs, leaveToOthers(lane, nowMs))
      if (kind === undefined || room <= 0) continue
      if (due > nowMs) {
        sleepMs = Math.min(sleepMs, due - nowMs)
        continue
      }
      // A claimed task is always begun, also at shutdown: only a running task is given back.
      const claimed = yield* store
        .claim(lane, room)
        .pipe(Effect.tap(Effect.forEach((leased) => begin(leased, kind), { discard: true })), Effect.uninterruptible)
      if (isSilent) triedAt.set(lane, nowMs)
      if (claimed.length > 0) sleepMs = 0
    }
    return sleepMs
  })

  let hasTakenOver = false
  /** Before the first claim, because the store is not used while layers are built. */
  const takeOver = Effect.flatMap(store.takeOver, (inherited) => {
    hasTakenOver = true
    return inherited > 0 ? Effect.logInfo(`taking over ${inherited} tasks of a process that died`) : Effect.void
  })

  const claims = Effect.suspend(() => {
    // The cost of a turn at its upstream could not be stored.
    if (durability.lost() !== undefined) return Effect.succeed(Effect.sleep(lookAgainMs))
    if (!hasTakenOver) return Effect.as(takeOver, Effect.yieldNow())
    return Effect.map(claimDue, (ms) => {
      // Requests go first: no client is waiting for a turn.
      if (isBusy()) return giveWay
      return ms === 0 ? Effect.yieldNow() : Effect.timeoutOption(bells.due.nextRing, ms)
    })
  })

  const stop = ({ fiber }: RunningTurn) => fiber.unsafeInterruptAsFork(FiberId.none)

  /** Renews the leases of running turns, and stops a turn whose lease is lost. */
  const renewals = Effect.gen(function* () {
    const all = running.values()
    const kept = yield* store.renew(all.map((one) => one.leased))
    for (const one of all) {
      const { id } = one.leased.task
      if (!kept.has(id) && running.get(id) === one) yield* Fiber.interruptFork(one.fiber)
    }
    const sleep = Effect.sleep(leaseMs / 3)
    return running.size === 0 ? Effect.zipRight(begun.nextRing, sleep) : sleep
  })

  /** Best effort: cancels the upstream's work in the background. Lost if the process dies now. */
  const stopUpstream = (task: Task) =>
    Effect.forkDaemon(task.upstreamId === null ? Effect.void : (kinds.get(task.kind)?.cancel?.(task) ?? Effect.void))

  const expiry = Effect.gen(function* () {
    bells.sleepsUntil(Infinity)
    const { expired, nextMs } = yield* store.expireDue
    bells.sleepsUntil(Option.getOrElse(nextMs, () => Infinity))
    yield* Effect.forEach(expired, stopUpstream, { discard: true })
    const nowMs = yield* Clock.currentTimeMillis
    const sleep = Option.match(nextMs, { onNone: () => Duration.infinity, onSome: (ms) => Duration.millis(ms - nowMs) })
    return Duration.greaterThan(sleep, Duration.zero)
      ? Effect.timeoutOption(bells.deadlines.nextRing, Duration.min(sleep, Duration.minutes(1)))
      : Effect.yieldNow()
  })

  const retention = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const removed = yield* store.purge(nowMs - Duration.toMillis(settings.retention), batch)
    return Effect.sleep(removed === batch ? "50 millis" : "1 minute")
  })

  // Other nodes own this process's tasks now and would have its writes refused.
  node.onLost(() => running.values().forEach(stop))
  yield* onNotice("tasks.due", () => bells.due.ring())
  // Stops turns of tasks that another node has ended. A missed notice is made up for at the next renewal.
  yield* onNotice("tasks.ended", (ids) => ids?.forEach((id) => Option.map(Option.fromNullable(running.get(id)), stop)))

  // Added last, so closed first: nothing new is claimed while running turns are stopped.
  yield* Effect.addFinalizer(() =>
    Fiber.interruptAll(running.values().map((one) => one.fiber)).pipe(
      Effect.interruptible,
      Effect.timeoutOption(longestStop)
    )
  )
  yield* daemon("tasks.renewals", renewals, backoff)
  yield* daemon("tasks.expiry", expiry, backoff)
  yield* daemon("tasks.retention", retention, backoff)
  yield* daemon("tasks.claims", claims, backoff)
})

/** The most tasks of a lane to claim. While an account with its full share waits, others may be behind its tasks. */
const claimable = ({ running, waiting }: Slots, { parallel }: TaskKind): number => {
  if (waiting === 0 || running >= parallel) return parallel - running
  return Math.min(batch, mostWaiting - waiting)
}

/** The engine's daemons, until the scope closes. */
export const TaskRunnerLive = Layer.scopedDiscard(start).pipe(
  Layer.provide([Daemons.Default, DatabaseHealth.Default, Node.Default])
)
