import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Aside } from "../sql/Aside.ts"
import { Commits } from "../sql/Commits.ts"
import { onNotice, Notices } from "../sql/Notices.ts"
import { nodeStore } from "./store/NodeStore.ts"
import type { Dead } from "./store/NodeStore.ts"
import { newestFormat } from "./formats.ts"
import { isAlive, thisProcess } from "./ThisProcess.ts"

/** Times of the node protocol, in ms. */
export class NodeTimes extends Context.Reference<NodeTimes>()("gateway/cluster/NodeTimes", {
  defaultValue: () => ({
    renewEvery: 5_000,
    /** How long a node counts as alive without renewal. */
    goodFor: 15_000,
    /** Interval of the search for dead nodes. */
    lookEvery: 1_000,
    /** After a database outage all nodes are overdue: they get this long to renew before any is reaped. */
    othersFirst: 6_000
  })
}) {}

/** A value derived from the master secret, by which nodes compare their secrets; undefined turns the check off. */
export class SecretCheck extends Context.Reference<SecretCheck>()("gateway/cluster/SecretCheck", {
  defaultValue: (): string | undefined => undefined
}) {}

/** How long a stopping node tries to reap itself; after that another node does. */
const longestReap = "3 seconds"

/** A clock that differs from the database's by more ms is logged: lists of requests tolerate a minute. */
const clockTolerance = 10_000

/** Releases a dead node's leases, holds and claims, in the transaction that reaps it. */
export type OnReap = (dead: string) => Effect.Effect<unknown, SqlError>

/**
 * This process among the nodes on one Postgres. Leases, holds and claims name their node and are valid as long as its row
 * exists: a statement that writes one locks the node's row (`FOR KEY SHARE`) and fails without it. A node renews its row
 * every 5 s, for 15 s by the database's clock; any node reaps an overdue one. A process that was paused and reaped
 * continues under a new id. With SQLite there is only one process.
 */
export class Node extends Effect.Service<Node>()("gateway/cluster/Node", {
  dependencies: [Commits.Default, Daemons.Default],
  scoped: Effect.flatMap(Aside, (aside) => (aside === undefined ? Effect.sync(onlyNode) : oneOfMany(aside)))
}) {}

interface Standing {
  /** There may be other nodes. */
  readonly isShared: boolean
  /** The node's current id. */
  readonly id: () => string
  /** The newest format that every node reads (`formats`), now and from now on. */
  readonly sharedFormat: () => number
  /** Called after this node was reaped by another: all that it had under its former id is released. */
  readonly onLost: (listener: (former: string) => void) => void
  /** Adds work for when this process reaps a node, including itself at a clean end. */
  readonly whenReaping: (voids: OnReap) => void
  /** Called after any process has, or may have, reaped a node. */
  readonly onReaped: (listener: () => void) => void
  /** The name of an older node with another secret; if there is one, this node must not serve. */
  readonly stranger: Effect.Effect<string | undefined, SqlError>
  /** Renews the row now, for callers that find it gone. */
  readonly renew: Effect.Effect<void, SqlError>
  /** Reaps dead nodes. */
  readonly reap: Effect.Effect<void, SqlError>
}

const onlyNode = (): Standing => {
  const id = crypto.randomUUID()
  const nothing = () => {}
  const never = { onLost: nothing, whenReaping: nothing, onReaped: nothing, renew: Effect.void, reap: Effect.void }
  return {
    isShared: false,
    id: () => id,
    sharedFormat: () => newestFormat,
    ...never,
    stranger: Effect.succeed(undefined)
  }
}

const oneOfMany = (aside: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const commits = yield* Commits
    const notices = yield* Notices
    const times = yield* NodeTimes
    const secretCheck = yield* SecretCheck
    const ownStore = nodeStore(yield* SqlClient.SqlClient, times.goodFor)
    const nodes = nodeStore(aside, times.goodFor)
    const self = thisProcess()
    const releases: Array<OnReap> = []
    const lostListeners: Array<(former: string) => void> = []
    const reapListeners: Array<() => void> = []
    let id: string = crypto.randomUUID()
    /** Start of the current series of successful renewals (`performance.now()`); infinite while they fail. */
    let wellSince = performance.now()

    const notifyReaped = () => {
      for (const listener of reapListeners) listener()
    }
    yield* onNotice("nodes", notifyReaped)

    let sharedFormat = 0
    /** Until no older node is left. */
    const raiseFormat = Effect.suspend(() =>
      sharedFormat >= newestFormat
        ? Effect.void
        : Effect.map(nodes.raiseFormat, (format) => void (sharedFormat = format))
    )

    let isClockOff = false
    /** Warns once when this machine's clock begins to differ. */
    const compareClocks = Effect.fnUntraced(function* (databaseNow: number) {
      const aheadMs = (yield* Clock.currentTimeMillis) - databaseNow
      const wasOff = isClockOff
      isClockOff = Math.abs(aheadMs) > clockTolerance
      if (!isClockOff || wasOff) return
      const seconds = Math.round(Math.abs(aheadMs) / 1000)
      const warning = Effect.logWarning(
        `this machine's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the database's: run a time service (NTP) on both`
      )
      yield* Effect.annotateLogs(warning, { event: "node.clock", ahead_ms: aheadMs })
    })

    const alone = yield* Effect.makeSemaphore(1)
    const renew = Effect.gen(function* () {
      const databaseNow = yield* nodes.renew(id)
      yield* raiseFormat
      if (databaseNow !== undefined) return yield* compareClocks(databaseNow)
      const former = id
      const next = crypto.randomUUID()
      yield* nodes.insert(next, self, secretCheck)
      id = next
      for (const listener of lostListeners) listener(former)
      const warning = Effect.logWarning("other nodes reaped this node: it continues as a new one")
      yield* Effect.annotateLogs(warning, { event: "node.lost", node: next, former })
    }).pipe(
      Effect.tapBoth({
        onFailure: () => Effect.sync(() => void (wellSince = Infinity)),
        onSuccess: () => Effect.sync(() => void (wellSince = Math.min(wellSince, performance.now())))
      }),
      Effect.uninterruptible,
      alone.withPermits(1)
    )

    const reapOne = (dead: Dead): Effect.Effect<boolean, SqlError> =>
      commits.commit(
        Effect.gen(function* () {
          if (!(yield* ownStore.take(dead))) return false
          yield* Effect.forEach(releases, (voids) => voids(dead.id), { discard: true })
          yield* ownStore.remove(dead.id)
          yield* commits.afterCommit(() => {
            notifyReaped()
            notices.notify("nodes", dead.id)
          })
          return true
        })
      )

    const reap = Effect.gen(function* () {
      const mayJudge = performance.now() - wellSince >= times.othersFirst
      for (const one of yield* nodes.suspects(self.machine)) {
        const isDead = one.silent ? mayJudge : !isAlive(one.pid)
        if (!isDead || one.id === id || !(yield* reapOne(one))) continue
        const warning = Effect.logWarning(`node ${one.name} is dead: its leases, holds and claims are released`)
        yield* Effect.annotateLogs(warning, { event: "node.buried", node: one.id })
      }
    })

    yield* Effect.orDie(Effect.zipRight(nodes.insert(id, self, secretCheck), raiseFormat))
    yield* Effect.addFinalizer(() =>
      reapOne({ id, silent: false }).pipe(Effect.interruptible, Effect.timeout(longestReap), Effect.ignore)
    )
    yield* daemon("nodes.renewal", Effect.as(renew, Effect.sleep(times.renewEvery)), backoff)
    const standing: Standing = {
      isShared: true,
      id: () => id,
      sharedFormat: () => sharedFormat,
      onLost: (listener) => void lostListeners.push(listener),
      whenReaping: (voids) => void releases.push(voids),
      onReaped: (listener) => void reapListeners.push(listener),
      stranger: Effect.suspend(() => nodes.stranger(id)),
      renew,
      reap
    }
    return standing
    // The real clock, because other processes do not share a test's.
  }).pipe(Effect.withClock(Clock.make()))

/** Reaper of dead nodes. Build it after all services that use `atBurial`. */
export const NodeReaperLive = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Node, NodeTimes]), ([{ reap, isShared }, { lookEvery }]) =>
    isShared ? daemon("nodes.burials", Effect.as(reap, Effect.sleep(lookEvery)), backoff) : Effect.void
  ).pipe(Effect.withClock(Clock.make()))
).pipe(Layer.provide([Node.Default, Daemons.Default]))
