import { Clock, Effect, Exit, Layer, Queue } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { Settings } from "../config/Settings.ts"
import { bodyWithoutEntrusted, entrustedIn } from "../contract/callers/entrusted.ts"
import type { AccountId } from "../contract/callers/Caller.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { backoff } from "../flow/schedules.ts"
import { Regex } from "../regex/Regex.ts"
import { isRefused } from "../sql/isRefused.ts"
import { BodyLog } from "../telemetry/BodyLog.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { cutAt, readAlong } from "./readAlong.ts"
import type { Taken } from "./readAlong.ts"
import { margin, redactText } from "./redact.ts"
import { BodyStore } from "./store/BodyStore.ts"
import { AccountContents } from "./contents/AccountContents.ts"
import { isObjectedTo, traceContents } from "./contents/traceContents.ts"
import { partialJson } from "./transcript/partialJson.ts"
import type { BodyRow } from "./store/BodyStore.ts"

/** The most characters of a body to keep. */
const most = 64 * 1024
/** The most bodies waiting for the database; further ones are dropped and counted. */
const capacity = 256
/** Rows per deletion, few enough not to delay streams. */
const batch = 200

/** Original bodies with the patterns to redact. */
interface Recorded {
  readonly requestId: string
  readonly account: AccountId
  readonly at: number
  readonly patterns: ReadonlyArray<Regex>
  readonly request: Taken
  readonly answer: Taken
}

const show = async (taken: Taken, patterns: ReadonlyArray<Regex>, entrusted: ReadonlyArray<string>): Promise<Taken> => {
  const { isCut, text } = await redactText(taken, most, patterns, entrusted)
  return { text: text.toWellFormed().replaceAll("\0", "�"), isCut }
}

/** A request without the secrets of its tools and servers, and what they were. */
const withoutEntrusted = (taken: Taken) => {
  const body = partialJson(taken.text)
  const without = bodyWithoutEntrusted(body)
  return without === body
    ? { taken, entrusted: [] }
    : { taken: { ...taken, text: JSON.stringify(without) }, entrusted: entrustedIn(body) }
}

const rowOf = ({ account, answer, at, patterns, request, requestId }: Recorded): Effect.Effect<BodyRow> =>
  Effect.promise(async () => {
    const { entrusted, taken } = withoutEntrusted(request)
    const shownRequest = await show(taken, patterns, entrusted)
    // An upstream may repeat them.
    const shownAnswer = await show(answer, patterns, entrusted)
    return {
      request_id: requestId,
      account_id: account,
      at,
      request: shownRequest.text,
      answer: shownAnswer.text,
      is_cut: shownRequest.isCut || shownAnswer.isCut ? 1 : 0
    }
  })

/** Writes bodies of accounts with `accounts.<id>.record` in the configuration, after the answers. */
const make = Effect.gen(function* () {
  const configuration = yield* Configuration
  const store = yield* BodyStore
  const traced = yield* AccountContents
  const clock = yield* Effect.clock
  const dropped = (yield* Metrics).requestRowsDropped.of()
  const waiting = yield* Queue.dropping<Recorded>(capacity)
  let recorded: ReadonlyMap<string, ReadonlyArray<Regex>> = new Map()

  yield* Effect.orDie(
    configuration.follow(({ value }) =>
      Effect.sync(() => {
        const named = Object.entries(value.accounts ?? {}).flatMap(([id, { record }]) =>
          record?.bodies === "on" ? [[id, (record.redact ?? []).map(Regex.of)] as const] : []
        )
        return () => void (recorded = new Map(named))
      })
    )
  )

  const write = Effect.flatMap(Queue.take(waiting), (recorded) =>
    Effect.flatMap(rowOf(recorded), store.write).pipe(
      Effect.catchIf(isRefused, () => Effect.sync(() => dropped.add(1))),
      // Requeue for the next attempt, unless the queue is full.
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Queue.offer(waiting, recorded) : Effect.void)),
      Effect.as(Effect.void)
    )
  )
  yield* daemon("requestBodies", write, backoff)

  return BodyLog.of({
    isOn: (account, trace) =>
      recorded.has(account) || (trace?.isSampled === true && traced.of(account).contents !== "off"),
    record: ({ account, record, text }, given) => {
      const { requestId, trace } = record
      const { contents, redact } = traced.of(account)
      const answer =
        trace?.isSampled !== true || contents === "off"
          ? given
          : traceContents(
              trace,
              text,
              given,
              contents === "all"
                ? { redact: undefined, isWithheld: () => false }
                : { redact, isWithheld: () => isObjectedTo(record) }
            )
      const patterns = recorded.get(account)
      if (patterns === undefined) return answer
      const at = clock.unsafeCurrentTimeMillis()
      const request = cutAt(text, most + margin)
      return readAlong(answer, most + margin, (taken) => {
        const isQueued = Queue.unsafeOffer(waiting, { requestId, account, at, patterns, request, answer: taken })
        if (!isQueued) dropped.add(1)
      })
    }
  })
})

const Expiry = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* BodyStore
    const { retention } = yield* Settings
    const sweep = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const removed = yield* store.removeOld(nowMs - retention.bodiesMs, batch)
      return Effect.sleep(removed > 0 ? "50 millis" : "1 minute")
    })
    yield* daemon("requestBodyExpiry", sweep, backoff)
  })
)

/** Records bodies, and deletes them after `retention.bodies_days`. */
export const BodiesLive = Layer.merge(Layer.scoped(BodyLog, make), Expiry).pipe(
  Layer.provide(Layer.mergeAll(AccountContents.Default, BodyStore.Default, Daemons.Default))
)
