import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Effect, Layer } from "effect"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Aside } from "../sql/Aside.ts"
import { Commits } from "../sql/Commits.ts"
import { heeding, Notices } from "../sql/Notices.ts"
import { nodeStore } from "./store/NodeStore.ts"
import type { Dead } from "./store/NodeStore.ts"
import { isAlive, thisProcess } from "./ThisProcess.ts"

/** In ms. */
export class NodeTimes extends Context.Reference<NodeTimes>()("gateway/cluster/NodeTimes", {
  defaultValue: () => ({
    renewEvery: 5_000,
    /** How long one that says nothing is taken to be alive. */
    goodFor: 15_000,
    /** How often the dead are looked for. */
    lookEvery: 1_000,
    /** After an outage of the database everybody is silent: the others get this long to say that they live. */
    othersFirst: 6_000
  })
}) {}

/** What nodes of one secret have in common, and says nothing of it; undefined where nobody compares. */
export class SecretCheck extends Context.Reference<SecretCheck>()("gateway/cluster/SecretCheck", {
  defaultValue: (): string | undefined => undefined
}) {}

/** How long a node that stops waits for its own burial; after that it is another's. */
const longestBurial = "3 seconds"

/** Voids what a dead node has, in the transaction that buries it. */
export type OnReap = (dead: string) => Effect.Effect<unknown, SqlError>

/**
 * This process among those that serve from one Postgres. What is a process's own (leases, holds, claims) names the node,
 * and is good for as long as the node's row is there: whoever writes such a row locks the node's (`FOR KEY SHARE`), and
 * fails where that is gone. It is renewed each 5 s and good for 15 s by the database's clock; whoever finds another's time
 * over buries that node. A process that was paused for so long, and buried, goes on under another id. With SQLite there is
 * one process, and none of this.
 */
export class Node extends Effect.Service<Node>()("gateway/cluster/Node", {
  dependencies: [Commits.Default, Daemons.Default],
  scoped: Effect.flatMap(Aside, (aside) => (aside === undefined ? Effect.sync(onlyNode) : oneOfMany(aside)))
}) {}

interface Standing {
  /** Whether there may be others. */
  readonly isShared: boolean
  /** Who this process is now. */
  readonly id: () => string
  /** Is called when this process was taken for dead: what it had under its former id is others' by now. */
  readonly onLost: (listener: (former: string) => void) => void
  /** Is run whenever this process buries a node, itself at its clean end. */
  readonly atBurial: (voids: OnReap) => void
  /** Is called after a node was buried, by whomever, and when that may have been. */
  readonly onBurial: (listener: () => void) => void
  /** The name of a node that was here before, and has another secret: this one must not serve. */
  readonly stranger: Effect.Effect<string | undefined, SqlError>
  /** Renews the row at once: for whoever finds it gone. */
  readonly renew: Effect.Effect<void, SqlError>
  /** Buries those that are dead. */
  readonly bury: Effect.Effect<void, SqlError>
}

const onlyNode = (): Standing => {
  const id = crypto.randomUUID()
  const nothing = () => {}
  const never = { onLost: nothing, atBurial: nothing, onBurial: nothing, renew: Effect.void, bury: Effect.void }
  return { isShared: false, id: () => id, ...never, stranger: Effect.succeed(undefined) }
}

const oneOfMany = (aside: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const commits = yield* Commits
    const notices = yield* Notices
    const times = yield* NodeTimes
    const secretCheck = yield* SecretCheck
    const graves = nodeStore(yield* SqlClient.SqlClient, times.goodFor)
    const nodes = nodeStore(aside, times.goodFor)
    const self = thisProcess()
    const rites: Array<OnReap> = []
    const mourners: Array<(former: string) => void> = []
    const heirs: Array<() => void> = []
    let id: string = crypto.randomUUID()
    /** Since when each renewal succeeds, on the clock of `performance.now()`; infinite while they fail. */
    let wellSince = performance.now()

    const inherit = () => {
      for (const listener of heirs) listener()
    }
    yield* heeding("nodes", inherit)

    const alone = yield* Effect.makeSemaphore(1)
    const renew = Effect.gen(function* () {
      if (yield* nodes.renew(id)) return
      const former = id
      const next = crypto.randomUUID()
      yield* nodes.insert(next, self, secretCheck)
      id = next
      for (const listener of mourners) listener(former)
      const told = Effect.logWarning("this node was taken for dead by others: it goes on as a new one")
      yield* Effect.annotateLogs(told, { event: "node.lost", node: next, former })
    }).pipe(
      Effect.tapBoth({
        onFailure: () => Effect.sync(() => void (wellSince = Infinity)),
        onSuccess: () => Effect.sync(() => void (wellSince = Math.min(wellSince, performance.now())))
      }),
      Effect.uninterruptible,
      alone.withPermits(1)
    )

    const buryOne = (dead: Dead): Effect.Effect<boolean, SqlError> =>
      commits.write(
        Effect.gen(function* () {
          if (!(yield* graves.take(dead))) return false
          yield* Effect.forEach(rites, (voids) => voids(dead.id), { discard: true })
          yield* graves.remove(dead.id)
          yield* commits.afterCommit(() => {
            inherit()
            notices.tell("nodes", dead.id)
          })
          return true
        })
      )

    const bury = Effect.gen(function* () {
      const mayJudge = performance.now() - wellSince >= times.othersFirst
      for (const one of yield* nodes.suspects(self.machine)) {
        const isDead = one.silent ? mayJudge : !isAlive(one.pid)
        if (!isDead || one.id === id || !(yield* buryOne(one))) continue
        const told = Effect.logWarning(`node ${one.name} is dead: what it had is given to others`)
        yield* Effect.annotateLogs(told, { event: "node.buried", node: one.id })
      }
    })

    yield* Effect.orDie(nodes.insert(id, self, secretCheck))
    yield* Effect.addFinalizer(() =>
      buryOne({ id, silent: false }).pipe(Effect.interruptible, Effect.timeout(longestBurial), Effect.ignore)
    )
    yield* daemon("nodes.renewal", Effect.as(renew, Effect.sleep(times.renewEvery)), backoff)
    const standing: Standing = {
      isShared: true,
      id: () => id,
      onLost: (listener) => void mourners.push(listener),
      atBurial: (voids) => void rites.push(voids),
      onBurial: (listener) => void heirs.push(listener),
      stranger: Effect.suspend(() => nodes.stranger(id)),
      renew,
      bury
    }
    return standing
    // Other processes have no test's clock.
  }).pipe(Effect.withClock(Clock.make()))

/** Buries the dead, for as long as the scope lives. To be built after all who say what is to be done `atBurial`. */
export const NodeReaperLive = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Node, NodeTimes]), ([{ bury, isShared }, { lookEvery }]) =>
    isShared ? daemon("nodes.burials", Effect.as(bury, Effect.sleep(lookEvery)), backoff) : Effect.void
  ).pipe(Effect.withClock(Clock.make()))
).pipe(Layer.provide([Node.Default, Daemons.Default]))
