import { Clock, Effect, FiberSet, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { isBusy, pause } from "../flow/eventLoop.ts"
import { backoff } from "../flow/schedules.ts"
import { Node } from "../cluster/Node.ts"
import { makeRunLine } from "./runLine.ts"
import { BatchStore } from "./store/BatchStore.ts"
import { LineStore } from "./store/LineStore.ts"
import type { BatchRow, HeldLine } from "./store/BatchRow.ts"

/** The most lines that a process runs at a time, and while it is busy with requests. */
const most = { lines: 16, busy: 2 } as const
/** Lines that are taken ahead, so that each does not cost a look. */
const ahead = 32
/** While the process is busy with requests: the pause between two looks, in ms. */
const politeMs = 50
/** How long no line of a batch begins after one met a limit: doubled each time, in ms. */
const rest = { first: 500, most: 8_000 } as const
/** The longest sleep: other nodes may have stored lines, and lines wait for limits. */
const lookMs = { running: 1_000, shared: 5_000, alone: 60_000 } as const

interface Waiting {
  readonly batch: BatchRow
  readonly line: HeldLine
}

/** Runs lines of batches, of each batch in turn, behind the requests that clients wait for. */
export const LineRunnerLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const batches = yield* BatchStore
    const lines = yield* LineStore
    const node = yield* Node
    const run = yield* makeRunLine
    const fibers = yield* FiberSet.make()
    const rests = new Map<string, { readonly ms: number; readonly untilMs: number }>()
    let queue: Array<Waiting> = []
    let running = 0
    let hasTakenOver = false

    /** Lines that wait here, taken back by the next look. */
    const begin = ({ batch, line }: Waiting) => {
      running++
      const ran = Effect.flatMap(run(batch, line), (how) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          if (how === "ended") rests.delete(batch.id)
          else {
            const ms = Math.min(rest.most, (rests.get(batch.id)?.ms ?? rest.first / 2) * 2)
            rests.set(batch.id, { ms, untilMs: nowMs + ms })
          }
        })
      )
      return FiberSet.run(
        fibers,
        Effect.ensuring(
          ran,
          Effect.sync(() => {
            running--
            batches.bell.ring()
          })
        )
      )
    }

    /** Takes lines of the batches that do not rest, as many of each. Returns the time until the next look, in ms. */
    const fill = Effect.gen(function* () {
      const open = yield* batches.running
      if (open.length === 0) {
        rests.clear()
        return node.isShared ? lookMs.shared : lookMs.alone
      }
      const nowMs = yield* Clock.currentTimeMillis
      const ready = open.filter(({ id }) => (rests.get(id)?.untilMs ?? 0) <= nowMs)
      const share = Math.max(1, Math.floor(ahead / Math.max(1, ready.length)))
      for (const batch of ready) {
        // A line that was taken is always run or given back.
        const taken = yield* Effect.uninterruptible(
          Effect.tap(lines.claim(batch.id, share), (some) =>
            Effect.sync(() => void queue.push(...some.map((line) => ({ batch, line }))))
          )
        )
        if (taken.length === 0) rests.set(batch.id, { ms: rest.first, untilMs: nowMs + rest.first })
      }
      return queue.length > 0 ? 0 : lookMs.running
    })

    const pass = Effect.gen(function* () {
      if (!hasTakenOver) {
        const freed = yield* lines.takeOver
        hasTakenOver = true
        if (freed > 0) yield* Effect.logInfo(`taking over ${freed} lines of batches of a process that died`)
      }
      const busy = isBusy()
      const room = (busy ? most.busy : most.lines) - running
      if (room <= 0) return busy ? giveWay : batches.bell.nextRing
      const sleepMs = queue.length === 0 ? yield* fill : 0
      const begun = queue.slice(0, room)
      queue = queue.slice(room)
      yield* Effect.forEach(begun, begin, { discard: true })
      if (busy) return giveWay
      if (queue.length > 0) return batches.bell.nextRing
      return sleepMs === 0 ? Effect.yieldNow() : Effect.timeoutOption(batches.bell.nextRing, sleepMs)
    })

    /** Lines that did not begin are free again. */
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(lines.giveBackAll, "3 seconds")))
    yield* Effect.addFinalizer(() => FiberSet.clear(fibers))
    node.onLost(() => {
      queue = []
    })
    yield* daemon("batches.lines", pass, backoff)
  })
).pipe(Layer.provide([Daemons.Default, Node.Default]))

const giveWay = Effect.promise(() => pause(politeMs))
