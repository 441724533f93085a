import { expect, test } from "bun:test"
import { Effect, Layer, TestClock, TestContext } from "effect"
import { Access, AccessLog, Caller, Gateway, Settings, VideoUpstreams } from "model-gateway"

/** Accepts each video, and finishes none. */
const videoUpstreams = VideoUpstreams.Test({
  name: "sandbox",
  submit: () => Effect.succeed("video-1"),
  poll: () => Effect.succeed({ status: "running", nextPollMs: 600_000 }),
  cancel: () => Effect.succeed("cancelled")
})

const gateway = Gateway.layer({
  settings: Settings.from({ GATEWAY_DATABASE_URL: "sqlite::memory:", GATEWAY_PORT: "0" }),
  access: Access.Test({ authenticate: () => Effect.succeed(Caller.unrestricted("team-a")) }),
  accessLog: AccessLog.Off,
  videoUpstreams,
  background: "tasks"
})

const content = [{ type: "text", text: "a cat" }]
const body = JSON.stringify({ model: "sandbox-video", content, execution_expires_after: 3_600 })

const expires = Effect.gen(function* () {
  const { url } = yield* Gateway.Address
  const json = (path: string, init?: RequestInit) =>
    Effect.promise(() => fetch(new URL(path, url), init).then((answer) => answer.json()))
  const tasks = "/api/v3/contents/generations/tasks"
  const { id } = yield* json(tasks, { method: "POST", body })
  yield* TestClock.adjust("1 minute")
  expect(yield* json(`${tasks}/${id}`)).toMatchObject({ status: "running" })
  yield* TestClock.adjust("1 hour")
  expect(yield* json(`${tasks}/${id}`)).toMatchObject({ status: "expired" })
})

const live = Effect.provide(expires, Layer.provideMerge(gateway, TestContext.TestContext))
test("a video that is not done in an hour expires", () => Effect.runPromise(live), 60_000)
