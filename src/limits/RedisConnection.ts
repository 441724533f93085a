import { RedisClient } from "bun"
import { Effect, Schedule } from "effect"
import type { RedisPlaces } from "./redisPlaces.ts"
import { redisScript } from "./redisScript.ts"
import type { Send } from "./redisScript.ts"

/** Timeout of a connection and its handshake. */
const connectMs = 2_000

/** A write: a Redis that is loading its data or is a replica answers `PING` but refuses this. */
const probe = redisScript(`return redis.call('SET', KEYS[1], '', 'PX', 60000)`)

/** From 0.5 s, doubling to 3 s, with jitter. */
const reconnects = Schedule.exponential("500 millis").pipe(
  Schedule.union(Schedule.spaced("3 seconds")),
  Schedule.jittered
)

/**
 * One connection at a time. Bun's client never recovers from a failed handshake, so each attempt uses a new client.
 */
export class RedisConnection {
  readonly #at: Pick<RedisPlaces, "places" | "isMaster">
  readonly #soon: <A>(call: Promise<A>) => Promise<A>
  readonly #onClose: () => void
  #client: RedisClient | undefined

  /**
   * @param at finds URLs, tried in order
   * @param onClose called when Redis ends a connection that worked
   */
  constructor(
    at: Pick<RedisPlaces, "places" | "isMaster">,
    soon: <A>(call: Promise<A>) => Promise<A>,
    onClose: () => void
  ) {
    this.#at = at
    this.#soon = soon
    this.#onClose = onClose
  }

  readonly send: Send = (command, values) =>
    this.#client === undefined
      ? Promise.reject(new Error("Redis is not connected"))
      : this.#client.send(command, [...values])

  /** Replaces the connection by a new one that accepts writes; fails if that is not possible. */
  readonly open: Effect.Effect<void, unknown> = Effect.suspend(() =>
    Effect.firstSuccessOf(this.#at.places.map(Effect.flatMap((url) => this.#openAt(url))))
  )

  readonly #openAt = (url: string): Effect.Effect<void, unknown> => {
    this.close()
    const client = new RedisClient(url, {
      connectionTimeout: connectMs,
      autoReconnect: false,
      // Otherwise calls would wait during an outage.
      enableOfflineQueue: false
    })
    this.#client = client
    return Effect.tryPromise(() => client.connect()).pipe(
      Effect.timeout(connectMs),
      Effect.zipRight(Effect.tryPromise(() => this.#soon(probe(this.send, ["gateway:probe"], [])))),
      Effect.zipRight(this.#at.isMaster ? this.#checkRole : Effect.void),
      Effect.tap(() => {
        // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
        client.onclose = () => {
          if (this.#client === client) this.#onClose()
        }
      })
    )
  }

  /** A replica may be set up to take writes, which it loses. A user that may not ask for the role is believed. */
  readonly #checkRole = Effect.suspend(() =>
    Effect.tryPromise({ try: () => this.#soon(this.send("ROLE", [])), catch: String })
  ).pipe(
    Effect.filterOrFail(
      (role) => Array.isArray(role) && role[0] === "master",
      () => "it is no master"
    ),
    Effect.catchIf(
      (said) => said.includes("NOPERM"),
      () => Effect.void
    )
  )

  /** Retries until Redis accepts writes again. */
  readonly reopen: Effect.Effect<void> = Effect.retry(this.open, reconnects).pipe(
    Effect.delay("500 millis"),
    Effect.orDie
  )

  close(): void {
    const client = this.#client
    this.#client = undefined
    client?.close()
  }
}
