import { Clock, Effect, Layer, Queue } from "effect"
import { actorNamed } from "../contract/callers/Acting.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Blocks } from "../guardrails/Blocks.ts"
import type { Block } from "../guardrails/Blocks.ts"
import { Audit } from "./store/Audit.ts"

/** Begins with a key's first block. All others within it share one entry. */
const windowMs = 3_600_000
/** The most requests, models and reasons that an entry names. */
const most = 10

/** Blocks of a key by a guardrail that no entry tells yet. */
interface Untold {
  readonly count: number
  readonly requests: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
  readonly reasons: ReadonlyArray<string>
}

const none: Untold = { count: 0, requests: [], models: [], reasons: [] }

const union = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) =>
  other.every((text) => one.includes(text)) ? one : [...new Set([...one, ...other])].slice(0, most)

const joined = (one: Untold, other: Untold): Untold => ({
  count: one.count + other.count,
  requests: union(one.requests, other.requests),
  models: union(one.models, other.models),
  reasons: union(one.reasons, other.reasons)
})

/** The blocks of a key by a guardrail, of requests or of answers. */
interface Group extends Pick<Block, "guardrail" | "on"> {
  readonly account: string
  readonly key: string
  untold: Untold
  /** The end of its window; undefined before its first entry. */
  untilMs: number | undefined
}

/**
 * Writes what guardrails block into the audit log: the first block of a key by a guardrail at once, the others of the hour
 * after it as one entry. So a caller who is blocked all the time leaves 24 entries a day.
 */
export const AuditedBlocksLive = Layer.scoped(
  Blocks,
  Effect.gen(function* () {
    const audit = yield* Audit
    const groups = new Map<string, Group>()
    const arrived = yield* Queue.dropping<true>(1)

    const write = (group: Group) =>
      Effect.suspend(() => {
        const { account, guardrail, key, on, untold } = group
        const { count, models, reasons, requests } = untold
        group.untold = none
        return Effect.onError(
          audit.record({
            actor: actorNamed(`guardrail:${guardrail}`),
            action: "guardrail.block",
            target: key,
            before: null,
            after: { blocked: count, on, reasons, requests, models, guardrail, account }
          }),
          () => Effect.sync(() => (group.untold = joined(untold, group.untold)))
        )
      })

    const pass = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      for (const [key, group] of groups) {
        if (group.untilMs !== undefined && group.untilMs > nowMs) continue
        if (group.untold.count === 0) groups.delete(key)
        else {
          yield* write(group)
          group.untilMs = nowMs + windowMs
        }
      }
      const nextMs = Math.min(...[...groups.values()].map(({ untilMs = 0 }) => untilMs))
      const next = groups.size === 0 ? Effect.never : Effect.sleep(Math.max(0, nextMs - nowMs))
      return Effect.raceFirst(Queue.take(arrived), next)
    })
    yield* Effect.addFinalizer(() =>
      Effect.ignoreLogged(
        Effect.forEach([...groups.values()], (group) => (group.untold.count === 0 ? Effect.void : write(group)), {
          discard: true
        })
      )
    )
    yield* daemon("guardrails.audit", pass, backoff)

    return Blocks.of({
      blocked: ({ caller: { account, key }, guardrail, model, on, reason, requestId }) => {
        const id = JSON.stringify([guardrail, on, key])
        const group: Group = groups.get(id) ?? { guardrail, on, account, key, untold: none, untilMs: undefined }
        const block = {
          count: 1,
          requests: [requestId],
          models: [model],
          reasons: reason === undefined ? [] : [reason]
        }
        group.untold = joined(group.untold, block)
        groups.set(id, group)
        if (group.untilMs === undefined) arrived.unsafeOffer(true)
      }
    })
  })
).pipe(Layer.provide([Audit.Default, Daemons.Default]))
