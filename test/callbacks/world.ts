import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { MasterSecret } from "../../src/access/MasterSecret.ts"
import { WebhookSecrets } from "../../src/access/WebhookSecrets.ts"
import { CallbackOutbox } from "../../src/callbacks/CallbackOutbox.ts"
import { Deliveries } from "../../src/callbacks/Deliveries.ts"
import { DeliveryStore } from "../../src/callbacks/store/DeliveryStore.ts"
import { DeliveryWake } from "../../src/callbacks/DeliveryWake.ts"
import { CallbackTransport } from "../../src/callbacks/CallbackTransport.ts"
import { SenderLive } from "../../src/callbacks/sender.ts"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import { AllowedAddresses, parseAllowed } from "../../src/guard/addresses.ts"
import { DialFailed } from "../../src/guard/dial.ts"
import type { Reply } from "../../src/guard/dial.ts"
import { Resolver, Unresolved } from "../../src/guard/Resolver.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import type { TaskState } from "../../src/tasks/Task.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import { TaskChanges } from "../../src/tasks/TaskChanges.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { database, databaseNamed } from "../sql/engines.ts"
import { noFiles } from "../upstreams/noFiles.ts"

export const owner = AccountId.make("acc_owner")
const masterSecret = Redacted.make("0123456789abcdef0123456789abcdef")

const kinds = Layer.succeed(
  TaskKinds,
  taskKinds({
    name: "video",
    parallel: 1,
    run: () => Effect.succeed({ patch: {}, againInMs: 1_000 }),
    record: (task) => ({ id: task.id, status: task.state, note: "é\u2028😀" }),
    event: ({ state }) => (state === "succeeded" ? "video.completed" : undefined),
    gaveUp: (message) => ({ code: "gave_up", message })
  })
)

/** What a stubbed receiver was sent. */
export interface Sent {
  readonly atMs: number
  readonly url: string
  readonly id: string
  readonly status: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** How a stubbed receiver answers: a status, headers with it, or no answer. */
export type Answer = number | { readonly status: number; readonly headers: Record<string, string> } | "silence"

/** A receiver behind a stubbed guard: no sockets, so that the clock can be a TestClock. */
export const stubReceiver = (
  answer: (sent: Sent) => Answer | Effect.Effect<Answer>,
  resolving: Effect.Effect<unknown> = Effect.void
) => {
  const sent: Array<Sent> = []
  const layer = Layer.succeed(
    AddressGuard,
    new AddressGuard({
      admit: () => Effect.void,
      fetchBytes: () => Effect.die("not stubbed"),
      files: noFiles,
      open: () => Effect.die("not stubbed"),
      exchange: () => Effect.die("not stubbed"),
      resolve: () => Effect.die("not stubbed"),
      check: (url) => Effect.as(resolving, { url: new URL(url), addresses: ["127.0.0.1"] }),
      dial: ({ url }, request) =>
        Effect.gen(function* () {
          const body = new TextDecoder().decode(request.body)
          const one: Sent = {
            atMs: yield* Clock.currentTimeMillis,
            url: url.href,
            id: request.headers["webhook-id"] ?? "",
            status: (JSON.parse(body) as { status: string }).status,
            body,
            headers: request.headers
          }
          sent.push(one)
          const answered = answer(one)
          const reply = Effect.isEffect(answered) ? yield* answered : answered
          if (reply === "silence") return yield* new DialFailed({ reason: "no answer within 15 s" })
          const { status, headers } = typeof reply === "number" ? { status: reply, headers: {} } : reply
          return { status, headers, body: new Uint8Array(), complete: true } satisfies Reply
        })
    })
  )
  return { sent, layer }
}

/** The real guard, opened to this machine, with names that all mean it. */
export const openGuard = AddressGuard.Default.pipe(
  Layer.provide(
    Layer.succeed(Resolver, {
      resolve: (host) => (host.endsWith(".test") ? Effect.succeed(["127.0.0.1"]) : Effect.fail(new Unresolved()))
    })
  ),
  Layer.provide(Layer.effect(AllowedAddresses, parseAllowed(["127.0.0.0/8"], "test")))
)

export const secretsLayer = (chosen?: Redacted.Redacted) =>
  WebhookSecrets.layer(chosen).pipe(
    Layer.provide(MasterSecret.layer({ given: Option.some(masterSecret), directory: "/nowhere" }))
  )

/** @param name of a database that several processes come to; without one it is private */
export const storage = (name?: string) => Commits.Default.pipe(Layer.provideMerge(Layer.orDie(databaseOf(name))))

const databaseOf = (name: string | undefined) =>
  name === undefined
    ? database({ exclusive: false })
    : Layer.unwrapEffect(Effect.map(databaseNamed(name), (url) => databaseAt({ url, exclusive: false })))

/** Tasks, their callbacks and the database; the sender only with `sending`. */
export const callbacks = Deliveries.Default.pipe(
  Layer.provideMerge(TaskStore.Default),
  Layer.provideMerge(TaskChanges.Default),
  Layer.provide(Layer.merge(CallbackOutbox, kinds)),
  Layer.provideMerge(Layer.merge(DeliveryStore.Default, DeliveryWake.Default))
)

export const sending = (
  guard: Layer.Layer<AddressGuard, unknown>,
  name?: string,
  secrets: Layer.Layer<WebhookSecrets, unknown, SqlClient.SqlClient> = secretsLayer()
) =>
  SenderLive.pipe(
    Layer.provideMerge(callbacks),
    Layer.provideMerge(Layer.orDie(secrets)),
    Layer.provide(CallbackTransport.Default),
    Layer.provide(Layer.orDie(guard)),
    Layer.provideMerge(storage(name))
  )

/** A new task (and so its `queued` callback). */
export const createTask = (id: string, callbackUrl: string | null, account = owner) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const createdAtMs = yield* Clock.currentTimeMillis
    return yield* store.insert({
      id,
      kind: "video",
      account,
      key: KeyId.make("key_1"),
      model: "m",
      lane: id,
      details: {},
      request: {},
      callbackUrl,
      createdAtMs
    })
  })

/** Moves a task on, as its worker would. */
export const moveTask = (id: string, ...states: ReadonlyArray<TaskState>) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE tasks SET lease_token = NULL, next_run_at = 0 WHERE id = ${id}`
    const [held] = yield* store.claim(id, 1)
    if (held === undefined) return yield* Effect.dieMessage(`task ${id} can't be claimed`)
    for (const state of states) yield* store.write(held, { state })
  })

export const account = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO accounts (id, created_at) VALUES (${id}, 0)`)

export { settled as quiet } from "../sql/clock.ts"
