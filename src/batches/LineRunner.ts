import { Clock, Effect, FiberSet, Layer } from "effect"
import { Node } from "../cluster/Node.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { isBusy, pause } from "../flow/eventLoop.ts"
import { backoff } from "../flow/schedules.ts"
import { Lane } from "./Lane.ts"
import type { LineOutcome } from "./Lane.ts"
import { RunningLines } from "./RunningLines.ts"
import { makeRunLine } from "./runLine.ts"
import { BatchStore } from "./store/BatchStore.ts"
import { LineStore } from "./store/LineStore.ts"
import type { HeldLine } from "./store/BatchRow.ts"

/** The most lines that a process runs at a time, and while it is busy with requests. */
const most = { lines: 16, busy: 2 } as const
/** Lines of all batches that are taken ahead, so that each does not cost a look. */
const ahead = 32
/** While the process is busy with requests: the pause between two looks, in ms. */
const politeMs = 50
/** The longest sleep: other nodes may have stored batches, and lines wait for limits. In ms. */
const lookMs = { running: 250, shared: 5_000, alone: 60_000 } as const
/** How often the running batches are read, in ms: one that stops lets no line begin, whatever is known of it here. */
const knownMs = 250

/** Runs lines of batches, of each account and its batches in turn, behind the requests that clients wait for. */
export const LineRunnerLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const batches = yield* BatchStore
    const lines = yield* LineStore
    const node = yield* Node
    const run = yield* makeRunLine
    const fibers = yield* FiberSet.make()
    const lanes = new Map<string, Lane>()
    const running = new RunningLines()
    let readAtMs = -Infinity
    let hasTakenOver = false

    const begin = (lane: Lane, line: HeldLine) => {
      running.add(lane.batch.account_id, line)
      let how: LineOutcome = "waits"
      const over = Effect.map(Clock.currentTimeMillis, (nowMs) => {
        running.remove(line)
        lane.over(line, how, nowMs)
        batches.bell.ring()
      })
      const ran = Effect.map(run(lane.batch, line), (ended) => void (how = ended))
      return FiberSet.run(fibers, Effect.ensuring(ran, over))
    }

    /** Gives back all lines that do not run. */
    const unclaim = (lane: Lane) =>
      Effect.map(lines.unclaim(lane.batch.id, lane.running), () => {
        lane.waiting = []
        lane.mayHaveMore = false
      })

    /** Knows the running batches. */
    const look = Effect.fnUntraced(function* (nowMs: number) {
      if (nowMs - readAtMs < knownMs && lanes.size > 0) return
      const open = yield* batches.running
      readAtMs = nowMs
      const ids = new Set(open.map(({ id }) => id))
      for (const [id, lane] of lanes) {
        if (ids.has(id)) continue
        // It was stopped: its task ends the lines that did not begin.
        if (lane.waiting.length > 0 || lane.mayHaveMore) yield* unclaim(lane)
        if (lane.isIdle) lanes.delete(id)
      }
      for (const batch of open) if (!lanes.has(batch.id)) lanes.set(batch.id, new Lane(batch, most.lines))
    })

    /** Takes lines for each batch that has none here and may run some. */
    const fill = Effect.fnUntraced(function* (nowMs: number) {
      const wanting = [...lanes.values()].filter((lane) => lane.waiting.length === 0 && lane.room(nowMs) > 0)
      const share = Math.max(1, Math.floor(ahead / Math.max(1, lanes.size)))
      for (const lane of wanting) {
        if (lane.mayHaveMore) yield* unclaim(lane)
        lane.mayHaveMore = true
        const claimed = Effect.map(lines.claim(lane.batch.id, share), (some) => {
          lane.waiting = some
          lane.mayHaveMore = false
        })
        // A line that was taken is always run or given back.
        yield* Effect.uninterruptible(claimed)
        if (lane.waiting.length === 0) lane.foundNone(nowMs)
      }
    })

    /** The batch whose line begins next: one of the account of which the fewest run. */
    const nextLane = (nowMs: number): Lane | undefined => {
      let next: Lane | undefined
      for (const lane of lanes.values()) {
        const [line] = lane.waiting
        if (line === undefined || lane.room(nowMs) === 0 || !running.hasRoomFor(line)) continue
        if (next === undefined || running.of(lane.batch.account_id) < running.of(next.batch.account_id)) next = lane
      }
      return next
    }

    /** Begins lines, of the batches of an account one after the other. */
    const beginSome = Effect.fnUntraced(function* (nowMs: number, room: number) {
      for (let left = room; left > 0; left--) {
        const lane = nextLane(nowMs)
        const line = lane?.next()
        if (lane === undefined || line === undefined) return
        yield* begin(lane, line)
        // Behind the other batches.
        lanes.delete(lane.batch.id)
        lanes.set(lane.batch.id, lane)
      }
    })

    const pass = Effect.gen(function* () {
      if (!hasTakenOver) {
        const freed = yield* lines.takeOver
        hasTakenOver = true
        if (freed > 0) yield* Effect.logInfo(`taking over ${freed} lines of batches of a process that died`)
      }
      const busy = isBusy()
      const nowMs = yield* Clock.currentTimeMillis
      yield* look(nowMs)
      const room = (busy ? most.busy : most.lines) - running.size
      if (room > 0) {
        yield* fill(nowMs)
        yield* beginSome(nowMs, room)
      }
      if (busy) return giveWay
      const sleepMs = lanes.size > 0 ? lookMs.running : node.isShared ? lookMs.shared : lookMs.alone
      return Effect.timeoutOption(batches.bell.nextRing, sleepMs)
    })

    // Lines that did not begin are free again, after those that run have been given back.
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(lines.giveBackAll, "3 seconds")))
    yield* Effect.addFinalizer(() => FiberSet.clear(fibers))
    node.onLost(() => {
      for (const lane of lanes.values()) lane.waiting = []
    })
    yield* daemon("batches.lines", pass, backoff)
  })
).pipe(Layer.provide([Daemons.Default, Node.Default]))

const giveWay = Effect.promise(() => pause(politeMs))
