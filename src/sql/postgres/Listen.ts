import { SQL } from "bun"
import type { SqlClient } from "@effect/sql"
import { Clock, Deferred, Effect, FiberId, Option, Queue, Schema } from "effect"
import type { Scope } from "effect"
import { daemon } from "../../flow/daemon.ts"
import type { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import type { NoticeListener, NoticeBoard } from "../Notices.ts"

const channel = "gateway"
/** Notices within this time are sent together: one in every commit would cost two thirds of the commits. */
const gatherFor = "5 millis"
/** The server accepts less than 8,000 bytes. */
const mostBytes = 7_500

const Letter = Schema.parseJson(
  Schema.Struct({
    from: Schema.String,
    /** Null if there are too many names. */
    topics: Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.Array(Schema.String)) })
  })
)
const read = Schema.decodeUnknownOption(Letter)

/**
 * Notices by `LISTEN` and `NOTIFY`. A connection listens from the first listener on; the driver reopens it after a
 * loss, and listeners then read everything again. Notices are sent on another connection.
 */
export const makeNotices = (
  url: string,
  aside: SqlClient.SqlClient
): Effect.Effect<NoticeBoard, never, Daemons | Scope.Scope> =>
  Effect.gen(function* () {
    const self = crypto.randomUUID()
    const listeners = new Map<string, Set<NoticeListener>>()
    let unsent = new Map<string, Set<string>>()
    const toSend = yield* Queue.sliding<void>(1)
    const wanted = Deferred.unsafeMake<void>(FiberId.none)

    const rereadAll = () => {
      for (const some of listeners.values()) for (const listener of some) listener(undefined)
    }
    const receive = (payload: string) => {
      const letter = Option.getOrUndefined(read(payload))
      if (letter === undefined) return rereadAll()
      if (letter.from === self) return
      for (const [topic, names] of Object.entries(letter.topics)) {
        for (const listener of listeners.get(topic) ?? []) listener(names === null ? undefined : new Set(names))
      }
    }

    const client = yield* Effect.acquireRelease(
      Effect.sync(
        () => new SQL({ url, max: 1, connectionTimeout: 5, connection: { application_name: "gateway listen" } })
      ),
      (sql) => Effect.promise(() => sql.close({ timeout: 0 }).catch(() => {}))
    )
    const listen = Effect.zipRight(
      Deferred.await(wanted),
      Effect.as(
        Effect.tryPromise(() => client.listen(channel, receive, rereadAll)),
        Effect.never
      )
    )

    const sendAll = Effect.suspend(() => {
      const those = unsent
      if (those.size === 0) return Effect.succeed(next)
      unsent = new Map()
      const text = letterOf(self, those)
      return Effect.uninterruptible(aside`SELECT pg_notify(${channel}, ${text})`).pipe(
        Effect.tapError(() =>
          Effect.sync(() => those.forEach((names, topic) => names.forEach((name) => add(topic, name))))
        ),
        Effect.as(next)
      )
    })
    const next = Effect.zipRight(toSend.take, Effect.sleep(gatherFor))
    const add = (topic: string, name: string) => {
      const names = unsent.get(topic)
      if (names === undefined) unsent.set(topic, new Set([name]))
      else names.add(name)
    }

    // A stopping process still sends its last notices.
    yield* Effect.addFinalizer(() => Effect.ignore(sendAll))
    yield* daemon("notices.listen", listen, backoff)
    yield* daemon("notices.tell", sendAll, backoff)
    const board: NoticeBoard = {
      notify: (topic, name) => {
        add(topic, name)
        toSend.unsafeOffer(undefined)
      },
      listen: (topic, listener) => {
        const some = listeners.get(topic) ?? new Set()
        listeners.set(topic, some.add(listener))
        Deferred.unsafeDone(wanted, Effect.void)
        return () => void some.delete(listener)
      }
    }
    return board
    // Other processes do not follow a `TestClock`.
  }).pipe(Effect.withClock(Clock.make()))

const letterOf = (from: string, topics: ReadonlyMap<string, ReadonlySet<string>>): string => {
  const whole = JSON.stringify({
    from,
    topics: Object.fromEntries([...topics].map(([topic, names]) => [topic, [...names]]))
  })
  if (Buffer.byteLength(whole) <= mostBytes) return whole
  return JSON.stringify({ from, topics: Object.fromEntries([...topics.keys()].map((topic) => [topic, null])) })
}
