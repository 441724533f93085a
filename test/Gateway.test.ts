import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Redacted, Runtime, Scope, Stream } from "effect"
import { Access } from "../src/access/Access.ts"
import { Keys } from "../src/access/store/Keys.ts"
import { PublicUrl } from "../src/config/PublicUrl.ts"
import { Settings } from "../src/config/Settings.ts"
import { AccountId, Caller } from "../src/contract/callers/Caller.ts"
import { FileSources } from "../src/files/FileSources.ts"
import type { GenerationEvent } from "../src/generation/GenerationEvent.ts"
import * as Gateway from "../src/Gateway.ts"
import { TaskStore } from "../src/tasks/TaskStore.ts"
import { AccessLog } from "../src/telemetry/AccessLog.ts"
import { streamUpstream } from "../src/upstreams/text/streamUpstream.ts"
import { TextUpstreams } from "../src/upstreams/Upstreams.ts"
import { jsonFamilies, usualRequest } from "./families.ts"
import { conversation } from "./generation/conversations.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-parts-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Started {
  readonly url: string
  readonly key: string
}

/** Starts a gateway of these parts in this process, with a folder and a key of its own, until the scope closes. */
const start = (parts: Gateway.Options = {}, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const settings = Settings.from({
      ...env,
      GATEWAY_PORT: "0",
      GATEWAY_METRICS: env["GATEWAY_METRICS"] ?? "true",
      GATEWAY_CHECK_ANSWERS: "true",
      GATEWAY_DATABASE_URL: `sqlite:${join(yield* folder, "gateway.db")}`
    })
    const context = yield* Layer.build(Gateway.layer({ settings, accessLog: AccessLog.Off, ...parts }))
    const { secret } = yield* Context.get(context, Keys).create({ account: AccountId.make("default"), name: "test" })
    return { url: Context.get(context, Gateway.Address).url.href, key: Redacted.value(secret) }
  })

const ask = (gateway: Started, key = gateway.key) =>
  Effect.promise(async () => {
    const answer = await fetch(`${gateway.url}v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "sandbox-text", max_tokens: 50, messages: "Hello!" })
    })
    return { status: answer.status, id: answer.headers.get("x-request-id") ?? "", text: await answer.text() }
  })

const answersCounted = ({ url }: Started) =>
  Effect.promise(async () => {
    const text = await (await fetch(`${url}metrics`)).text()
    return /gateway_requests_total{route="POST \/v1\/messages",status="200"} (\d+)/.exec(text)?.[1]
  })

const saying = (text: string) => ({
  textUpstreams: TextUpstreams.layer(
    streamUpstream("sandbox", () => Stream.fromIterable<GenerationEvent>([{ type: "text-delta", text }]))
  )
})

const post = (gateway: Started, path: string, body: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(() => fetch(new URL(path, gateway.url), { method: "POST", headers, body: JSON.stringify(body) }))

const message = { model: "sandbox-text", max_tokens: 50, messages: "Hello!" }
const video = { model: "sandbox-video", content: [{ type: "text", text: "a cat --rs 480p --frames 29" }] }
const videoTasks = "/api/v3/contents/generations/tasks"

describe("Gateway.layer", () => {
  it.live("answers text with the upstreams it is given", () =>
    Effect.gen(function* () {
      const gateway = yield* start(saying("from outside"))
      expect(yield* ask(gateway)).toMatchObject({ status: 200, text: expect.stringContaining("from outside") })
    }).pipe(Effect.scoped)
  )

  it.live("begins links to files with the public URL it is given", () =>
    Effect.gen(function* () {
      const gateway = yield* start({
        publicUrl: PublicUrl.Test({ get: Effect.succeed("https://files.example"), listensOn: () => Effect.void })
      })
      expect(yield* Effect.promise(() => renderedVideo(gateway))).toMatch(/^https:\/\/files\.example\/files\//)
    }).pipe(Effect.scoped)
  )

  it.live("asks the access it is given in every family, so that one that admits all callers needs no key", () =>
    Effect.gen(function* () {
      const access = Access.Test({ authenticate: () => Effect.succeed(Caller.unrestricted("team-a")) })
      const gateway = yield* start({ access })
      const statuses = yield* Effect.all(
        jsonFamilies.map((family) => {
          const { body, path } = usualRequest(family)
          return Effect.map(post(gateway, path, body), ({ status }) => [family, status])
        })
      )
      expect(statuses).toEqual(jsonFamilies.map((family) => [family, 200]))
    }).pipe(Effect.scoped)
  )

  it.live("stores tasks in the task store it is given, and starts although that one dies on every use", () =>
    Effect.gen(function* () {
      const gateway = yield* start({ taskStore: TaskStore.Test({}), background: "none" })
      const headers = { authorization: `Bearer ${gateway.key}` }
      expect((yield* post(gateway, videoTasks, video, headers)).status).toBe(500)
      expect((yield* post(gateway, "/v1/messages", message, headers)).status).toBe(200)
    }).pipe(Effect.scoped)
  )

  it("does not compile with what is no part", () => {
    const access = Access.Test({})
    const both = { access, acces: access }
    // @ts-expect-error -- a misspelt key
    Gateway.layer({ acces: access })
    // @ts-expect-error -- a variable with a right key and a wrong one
    Gateway.layer(both)
    // @ts-expect-error -- a layer of another service
    Gateway.layer({ access: AccessLog.Off })
    // @ts-expect-error -- a layer of no service
    Gateway.layer({ access: Layer.empty })
    // @ts-expect-error -- no layer
    Gateway.layer({ access: Effect.succeed(access) })
  })

  it.live("two run in one process with settings that differ, and each keeps to its own", () =>
    Effect.gen(function* () {
      const adminKey = "an-admin-key-of-one-gateway-alone"
      const one = yield* start(saying("one"), { GATEWAY_METRICS: "false", GATEWAY_ADMIN_KEY: adminKey })
      const other = yield* start(saying("other"))
      const seen = (gateway: Started) =>
        Effect.promise(async () => {
          const accounts = new URL("/admin/v1/accounts", gateway.url)
          const headers = { authorization: `Bearer ${adminKey}` }
          const answers = [await fetch(new URL("/metrics", gateway.url)), await fetch(accounts, { headers })]
          return answers.map(({ status }) => status)
        })
      expect(yield* seen(one)).toEqual([401, 200])
      expect(yield* seen(other)).toEqual([200, 404])
    }).pipe(Effect.scoped)
  )

  it.live("two run in one process: keys, counters and request ids are each one's own", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const one = yield* Scope.extend(start(saying("one")), scope)
      const other = yield* start(saying("other"))
      const [first, second] = [yield* ask(one), yield* ask(one)]
      expect([first.text, second.text].every((text) => text.includes('"one"'))).toBe(true)
      expect((yield* ask(other)).text).toContain('"other"')
      expect((yield* ask(other, one.key)).status).toBe(401)
      expect(yield* answersCounted(one)).toBe("2")
      expect(yield* answersCounted(other)).toBe("1")
      expect(first.id.slice(0, -8)).toBe(second.id.slice(0, -8))
      expect((yield* ask(other)).id.slice(0, -8)).not.toBe(first.id.slice(0, -8))

      yield* Scope.close(scope, Exit.void)
      expect((yield* ask(other)).status).toBe(200)
    }).pipe(Effect.scoped)
  )
})

describe("X.Test", () => {
  it.effect("dies where a test uses what it did not supply, and names it", () =>
    Effect.gen(function* () {
      const url = yield* PublicUrl
      const dead = yield* Effect.exit(url.get)
      expect(Exit.isFailure(dead) && Cause.pretty(dead.cause)).toContain("gateway/config/PublicUrl.get was used")
      expect(yield* url.listensOn(new URL("http://here"))).toBe("supplied")
    }).pipe(Effect.provide(PublicUrl.Test({ listensOn: () => Effect.succeed("supplied") })))
  )

  it.effect("dies in methods, in data that is looked into, and in an upstream's calls", () =>
    Effect.gen(function* () {
      const dies = (what: Effect.Effect<unknown, unknown>) =>
        Effect.map(Effect.exit(what), (exit) => Exit.isFailure(exit) && Cause.isDie(exit.cause))
      const [source] = yield* FileSources
      expect(yield* dies(Effect.suspend(() => source?.file("id", "name") ?? Effect.void))).toBe(true)
      const settings = yield* Settings
      expect(Redacted.value(settings.databaseUrl)).toBe("sqlite::memory:")
      expect(yield* dies(Effect.sync(() => settings.server.port))).toBe(true)
      const upstream = (yield* TextUpstreams).get("sandbox")
      expect(upstream?.passthrough).toBeUndefined()
      expect(() => upstream?.generate(conversation({}), how)).toThrow(
        "gateway/upstreams/TextUpstreams.generate was used"
      )
    }).pipe(
      Effect.provide([
        FileSources.Test({}),
        Settings.Test({ databaseUrl: Redacted.make("sqlite::memory:") }),
        TextUpstreams.Test({ name: "sandbox" })
      ])
    )
  )
})

const how = { upstreamModel: "sandbox-text", stream: false, requestId: "r", runtime: Runtime.defaultRuntime }

/** The address of a clip that the sandbox rendered. */
const renderedVideo = async ({ key, url }: Started): Promise<string> => {
  const tasks = `${url}api/v3/contents/generations/tasks`
  const headers = { authorization: `Bearer ${key}` }
  const body = JSON.stringify({
    model: "sandbox-video",
    content: [{ type: "text", text: "a cat --rs 480p --frames 29" }]
  })
  const { id } = (await (await fetch(tasks, { method: "POST", headers, body })).json()) as { id: string }
  for (;;) {
    const task = (await (await fetch(`${tasks}/${id}`, { headers })).json()) as {
      status: string
      content?: { video_url: string }
    }
    if (task.content !== undefined) return task.content.video_url
    expect(["queued", "running"]).toContain(task.status)
    await Bun.sleep(50)
  }
}
