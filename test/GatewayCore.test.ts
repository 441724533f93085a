import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Redacted, Runtime, Scope, Stream } from "effect"
import { expectTypeOf } from "vitest"
import { Keys } from "../src/access/store/Keys.ts"
import type { MasterSecret } from "../src/access/MasterSecret.ts"
import { PublicUrl } from "../src/config/PublicUrl.ts"
import { Settings } from "../src/config/Settings.ts"
import { AccountId } from "../src/contract/Caller.ts"
import { FileSources } from "../src/files/FileSources.ts"
import type { Documents } from "../src/documents/Documents.ts"
import type { KeptFiles } from "../src/files/KeptFiles.ts"
import type { GenerationEvent } from "../src/generation/GenerationEvent.ts"
import { GatewayCore } from "../src/Gateway.ts"
import type { GatewayLive, GatewayNeeds } from "../src/Gateway.ts"
import type { AddressGuard } from "../src/guard/AddressGuard.ts"
import { Listening } from "../src/http/Server.ts"
import { PlatformLive, SandboxLive } from "../src/Shipped.ts"
import { AccessLog } from "../src/telemetry/AccessLog.ts"
import { streamUpstream } from "../src/upstreams/streamUpstream.ts"
import { TextUpstreams } from "../src/upstreams/Upstreams.ts"
import { conversation } from "./generation/conversations.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-core-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Started {
  readonly url: string
  readonly key: string
}

/** Starts a gateway in this process, with a folder and a key of its own, until the scope closes. */
const start = <E>(gateway: Layer.Layer<Listening | Keys, E, Settings | AccessLog>, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const settings = Settings.from({
      ...env,
      GATEWAY_PORT: "0",
      GATEWAY_METRICS: env["GATEWAY_METRICS"] ?? "true",
      GATEWAY_CHECK_ANSWERS: "true",
      GATEWAY_DATABASE_URL: `sqlite:${join(yield* folder, "gateway.db")}`
    })
    const context = yield* Layer.build(Layer.provide(gateway, Layer.merge(settings, AccessLog.Off)))
    const { secret } = yield* Context.get(context, Keys).create({ account: AccountId.make("default"), name: "test" })
    return { url: Context.get(context, Listening).url.href, key: Redacted.value(secret) }
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

const saying = (text: string) =>
  GatewayCore.pipe(
    Layer.provide(
      TextUpstreams.layer(
        streamUpstream("sandbox", () => Stream.fromIterable<GenerationEvent>([{ type: "text-delta", text }]))
      )
    ),
    Layer.provide(SandboxLive),
    Layer.provide(PlatformLive)
  )

describe("GatewayCore", () => {
  it("asks for everything that it stands on, so that what is forgotten does not compile", () => {
    expectTypeOf<Layer.Layer.Context<typeof GatewayCore>>().toEqualTypeOf<GatewayNeeds>()
    expectTypeOf<Layer.Layer.Context<typeof GatewayLive>>().toEqualTypeOf<Settings | AccessLog>()
    const withoutPlatform = GatewayCore.pipe(
      Layer.provide(SandboxLive),
      Layer.provide([AccessLog.Off, Settings.from({})])
    )
    expectTypeOf(withoutPlatform).not.toExtend<Layer.Layer<Listening, unknown>>()
    expectTypeOf<Layer.Layer.Context<typeof withoutPlatform>>().toEqualTypeOf<
      SqlClient.SqlClient | AddressGuard | Documents | KeptFiles | MasterSecret | PublicUrl
    >()
    const whole = Layer.provide(withoutPlatform, Layer.provide(PlatformLive, Settings.from({})))
    expectTypeOf(whole).toExtend<Layer.Layer<Listening, unknown>>()
  })

  it.live("runs with the upstreams that it is given from outside", () =>
    Effect.gen(function* () {
      const gateway = yield* start(saying("from outside"))
      expect(yield* ask(gateway)).toMatchObject({ status: 200, text: expect.stringContaining("from outside") })
    }).pipe(Effect.scoped)
  )

  it.live("links to files begin with the public URL that it is given", () =>
    Effect.gen(function* () {
      const gateway = yield* start(
        GatewayCore.pipe(
          Layer.provide(SandboxLive),
          Layer.provide(PublicUrl.Test({ get: Effect.succeed("https://files.example"), listensOn: () => Effect.void })),
          Layer.provide(PlatformLive)
        )
      )
      expect(yield* Effect.promise(() => renderedVideo(gateway))).toMatch(/^https:\/\/files\.example\/files\//)
    }).pipe(Effect.scoped)
  )

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
      expect(upstream?.forwarder).toBeUndefined()
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
  const body = JSON.stringify({ model: "sandbox-video", content: [{ type: "text", text: "a cat --rs 480p --dur 2" }] })
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
