import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { RateLimited } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Own } from "../contract/callers/Own.ts"
import { daemon } from "../flow/daemon.ts"
import { Daemons } from "../flow/Daemons.ts"
import { Lifecycle } from "../flow/Lifecycle.ts"
import { backoff } from "../flow/schedules.ts"
import { RequestStore } from "../requests/store/RequestStore.ts"
import { Bulkheads } from "../routing/Bulkhead.ts"
import { Changes } from "../sql/Changes.ts"
import { makeWake } from "../tasks/Wake.ts"
import { eventsOf, ready } from "./events.ts"
import { newAudits, newCircuits, newDeliveries, newTasks } from "./newChanges.ts"
import { newRequests } from "./newRequests.ts"
import type { NewsPoll, News } from "./News.ts"
import type { StoreFailure } from "../tasks/StoreFailure.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { Newest } from "./store/Newest.ts"
import { Watcher } from "./Watcher.ts"
import type { Whose } from "./Watcher.ts"

/** Polling interval while there are watchers. */
const every = "200 millis"
/** Interval of permission checks without a known change, in ms. */
const lookAgainMs = 30_000
/** The most watchers, in total and per account. */
const mostWatchers = 500
const mostOfOne = 50

/**
 * Streams events to watchers: new requests, and changes on any node. Polls the database for them, only while there are
 * watchers.
 */
export class Feed extends Effect.Service<Feed>()("gateway/feed/Feed", {
  dependencies: [Newest.Default, RequestStore.Default, Changes.Default, Daemons.Default],
  scoped: Effect.gen(function* () {
    const newest = yield* Newest
    const changes = yield* Changes
    const lifecycle = yield* Lifecycle
    const looks: ReadonlyArray<NewsPoll> = [
      newRequests(yield* RequestStore),
      newAudits(newest),
      newTasks(yield* TaskStore),
      newDeliveries(newest),
      newCircuits(yield* Bulkheads)
    ]
    const watchers = new Set<Watcher>()
    /** Watchers whose events come from elsewhere (`attend`). */
    const attended = new Set<Watcher>()
    const all = () => [...watchers, ...attended]
    const bell = makeWake()
    let isBegun = false
    let lookedAt = { change: -1, atMs: 0 }

    const begin = Effect.gen(function* () {
      yield* Effect.forEach(looks, (look) => look.begin, { discard: true })
      isBegun = true
      for (const watcher of watchers) watcher.send(ready)
    })

    const publish = (news: ReadonlyArray<News>) => {
      const whole: News = {
        requests: news.flatMap(({ requests = [] }) => requests),
        skipped: news.reduce((sum, { skipped = 0 }) => sum + skipped, 0),
        changed: news.flatMap(({ changed = [] }) => changed)
      }
      const texts = new Map<string, string>()
      for (const watcher of watchers) {
        const whose = JSON.stringify(watcher.own ?? null)
        const text = texts.get(whose) ?? eventsOf(whole, watcher.own)
        texts.set(whose, text)
        if (text === "") watcher.beat()
        else watcher.send(text)
      }
    }

    /** Ends streams whose key or session is no longer valid. */
    const dismiss = Effect.gen(function* () {
      const atMs = yield* Clock.currentTimeMillis
      const change = changes.seen()
      if (change === lookedAt.change && atMs < lookedAt.atMs + lookAgainMs) return
      const hasChanged = change !== lookedAt.change
      lookedAt = { change, atMs }
      for (const watcher of all()) {
        if (!(yield* watcher.stillOpens)) watcher.end()
        else if (hasChanged) yield* watcher.look
      }
    })

    const pass: Effect.Effect<Effect.Effect<void>, SqlError | StoreFailure> = Effect.gen(function* () {
      if (lifecycle.isDraining()) for (const watcher of all()) watcher.end()
      if (watchers.size === 0) isBegun = false
      else {
        if (!isBegun) yield* begin
        publish(yield* Effect.forEach(looks, ({ look }) => look))
      }
      for (const watcher of attended) watcher.beat()
      if (all().length === 0) return bell.nextRing
      yield* dismiss
      return Effect.sleep(every)
    })
    yield* daemon("feed", pass, backoff)

    const opened = (
      among: Set<Watcher>,
      request: Incoming,
      { left, whose }: { readonly whose?: Whose | undefined; readonly left?: () => void } = {}
    ): Effect.Effect<Watcher, RateLimited> => {
      const same = [...among].filter((one) => one.own?.account === whose?.own.account).length
      if (all().length >= mostWatchers || same >= mostOfOne) {
        return Effect.fail(new RateLimited({ message: "Too many streams of events are open", retryAfterSeconds: 60 }))
      }
      const watcher = new Watcher(whose, request, (one) => {
        among.delete(one)
        left?.()
      })
      among.add(watcher)
      bell.ring()
      return Effect.succeed(watcher)
    }

    /**
     * Opens a stream of events. It ends when the key or session becomes invalid, and at shutdown.
     * @param find whose events; looked up again after changes of keys
     */
    const watch = <E>(
      request: Incoming,
      find: Effect.Effect<Own | undefined, E>
    ): Effect.Effect<Response, E | RateLimited> =>
      Effect.map(
        Effect.flatMap(find, (own) => opened(watchers, request, { whose: own && { own, find } })),
        (watcher) => {
          if (isBegun) watcher.send(ready)
          return answerOf(watcher, request)
        }
      )

    /**
     * Opens such a stream for another source of events.
     * @param begin starts the source with a function that sends events; returns a function that ends it
     */
    const attend = (
      request: Incoming,
      begin: (send: (events: string) => void) => () => void
    ): Effect.Effect<Response, RateLimited> =>
      Effect.suspend(() => {
        let end = () => {}
        return Effect.map(opened(attended, request, { left: () => end() }), (watcher) => {
          end = begin((events) => watcher.send(events))
          return answerOf(watcher, request)
        })
      })

    return { watch, attend } as const
  })
}) {}

const answerOf = (watcher: Watcher, { replyHeaders }: Incoming): Response =>
  new Response(new ReadableStream(watcher, { highWaterMark: 0 }), { headers: { ...replyHeaders, ...headers } })

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no"
}
