import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, TestClock } from "effect"
import { SqlClient } from "@effect/sql"
import { Access } from "../../src/access/Access.ts"
import { CallbackTransport } from "../../src/callbacks/CallbackTransport.ts"
import { Settings } from "../../src/config/Settings.ts"
import { Caller } from "../../src/contract/callers/Caller.ts"
import * as Gateway from "../../src/Gateway.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import { layer as databaseAt } from "../../src/sql/Database.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { AccessLog } from "../../src/telemetry/AccessLog.ts"
import { VideoUpstreams } from "../../src/upstreams/videos/VideoUpstream.ts"

const tasks = "/api/v3/contents/generations/tasks"
const content = [{ type: "text", text: "a cat" }]
const body = { model: "sandbox-video", content, execution_expires_after: 3_600, callback_url: "https://hooks.test/a" }

/** A gateway with tasks in memory, its database, and the callbacks that it has sent. */
const start = Effect.fnUntraced(function* (parts: Gateway.Options = {}) {
  const sent: Array<string> = []
  const database = yield* Layer.build(databaseAt({ url: "sqlite::memory:", exclusive: true }))
  const context = yield* Layer.build(
    Gateway.layer({
      settings: Settings.from({
        GATEWAY_DATABASE_URL: "sqlite::memory:",
        GATEWAY_PORT: "0",
        GATEWAY_LEAVE_SECONDS: "0"
      }),
      access: Access.Test({ authenticate: () => Effect.succeed(Caller.unrestricted("team-a")) }),
      addressGuard: AddressGuard.Test({ admit: () => Effect.void }),
      callbackTransport: CallbackTransport.Test({
        send: ({ body }) => Effect.sync(() => (sent.push(JSON.parse(body).status), { status: 200, headers: {} }))
      }),
      database: Layer.succeedContext(database),
      accessLog: AccessLog.Off,
      taskStore: TaskStore.Memory,
      background: "tasks",
      ...parts
    })
  )
  const { url } = Context.get(context, Gateway.Address)
  const call = (method: string, path: string, payload?: object) =>
    Effect.promise(async () => {
      const init = payload === undefined ? { method } : { method, body: JSON.stringify(payload) }
      const answer = await fetch(new URL(path, url), init)
      return { status: answer.status, text: await answer.text() }
    })
  const json = (method: string, path: string, payload?: object) =>
    Effect.map(call(method, path, payload), ({ text }) => JSON.parse(text))
  return { call, json, sent, sql: Context.get(database, SqlClient.SqlClient) }
})

/** Asks every few real milliseconds. */
const until = <A>(look: Effect.Effect<A>, isSo: (a: A) => boolean): Effect.Effect<A> =>
  Effect.flatMap(look, (a) =>
    isSo(a)
      ? Effect.succeed(a)
      : Effect.zipRight(
          Effect.promise(() => Bun.sleep(20)),
          until(look, isSo)
        )
  )

describe("Gateway.layer with tasks in memory", () => {
  it.scoped("creates, lists, expires and removes videos and sends their callbacks, by TestClock", () =>
    Effect.gen(function* () {
      const { call, json, sent, sql } = yield* start({
        videoUpstreams: VideoUpstreams.Test({
          name: "sandbox",
          submit: () => Effect.succeed("video-1"),
          poll: () => Effect.succeed({ status: "running", nextPollMs: 600_000 }),
          cancel: () => Effect.succeed("cancelled")
        })
      })
      const { id } = yield* json("POST", tasks, body)
      yield* TestClock.adjust("1 minute")
      expect(yield* json("GET", `${tasks}/${id}`)).toMatchObject({ id, status: "running" })
      expect(yield* json("GET", tasks)).toMatchObject({ total: 1, items: [{ id, status: "running" }] })
      yield* TestClock.adjust("1 hour")
      expect(yield* json("GET", `${tasks}/${id}`)).toMatchObject({ status: "expired" })
      yield* until(
        Effect.sync(() => sent.at(-1)),
        (last) => last === "expired"
      )
      expect(sent).toEqual(["queued", "running", "expired"])
      expect(yield* sql`SELECT status FROM deliveries WHERE task_id = ${id}`).toHaveLength(3)
      expect(yield* sql`SELECT id FROM tasks`).toEqual([])
      expect((yield* call("DELETE", `${tasks}/${id}`)).status).toBe(200)
      expect((yield* call("GET", `${tasks}/${id}`)).status).toBe(404)
      expect(yield* sql`SELECT id FROM deliveries`).toEqual([])
    })
  )

  it.scoped("cancels a queued video, which no upstream has", () =>
    Effect.gen(function* () {
      const { call, json, sent } = yield* start({ background: "none" })
      const { id } = yield* json("POST", tasks, body)
      expect((yield* call("DELETE", `${tasks}/${id}`)).status).toBe(200)
      expect(yield* json("GET", `${tasks}/${id}`)).toMatchObject({ status: "cancelled" })
      expect(sent).toEqual([])
    })
  )

  it.scopedLive("answers background responses, whole and streamed, and messages in the background", () =>
    Effect.gen(function* () {
      const { call, json, sql } = yield* start()
      const input = { model: "sandbox-text", input: "Hello!", background: true }
      const whole = yield* json("POST", "/v1/responses", input)
      const done = yield* until(json("GET", `/v1/responses/${whole.id}`), ({ status }) => status === "completed")
      expect(JSON.stringify(done.output)).toContain("Hello!")

      const stream = yield* call("POST", "/v1/responses", { ...input, stream: true })
      expect(stream.text).toContain("event: response.completed")
      const id = /"id":"(resp_[^"]+)"/.exec(stream.text)?.[1] ?? ""
      expect((yield* call("GET", `/v1/responses/${id}?stream=true`)).text).toBe(stream.text)
      expect(yield* sql`SELECT last FROM response_events WHERE response_id = ${id}`).not.toEqual([])

      const message = { model: "sandbox-text", max_tokens: 50, messages: "Hello!", async: true }
      const task = yield* json("POST", "/v1/messages", message)
      const ended = yield* until(json("GET", `/v1/tasks/${task.id}`), ({ status }) => status === "success")
      expect(JSON.stringify(ended)).toContain("Hello!")
    })
  )
})
