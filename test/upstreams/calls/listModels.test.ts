import { createServer } from "node:net"
import { afterAll, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { listModels } from "../../../src/upstreams/calls/listModels.ts"

const asked: Array<string> = []
const hostile = ["a\nb", "a\u0000", "\u202Eabc", "x".repeat(257), "x".repeat(256), "é 🦊/1:free"]
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers }) => {
    const key = headers.get("authorization") ?? ""
    asked.push(key)
    if (key === "Bearer sk-hostile") return Response.json({ data: hostile.map((id) => ({ id })) })
    return key === "Bearer sk-good"
      ? Response.json({ data: [{ id: "one" }] })
      : Response.json({ error: { message: "no such key" } }, { status: 401 })
  }
})
afterAll(() => server.stop(true))

const listed = (...keys: ReadonlyArray<string>) => {
  asked.length = 0
  const base_url = `http://127.0.0.1:${server.port}/v1`
  return listModels({ protocol: "openai-chat", base_url, keys: keys.map((key) => Redacted.make(key)) }, undefined)
}

it.effect("an upstream with several keys lists its models with the first that may", () =>
  Effect.gen(function* () {
    expect(yield* listed("sk-good", "sk-bad")).toEqual([{ id: "one", facts: {} }])
    expect(asked).toEqual(["Bearer sk-good"])
    expect(yield* listed("sk-bad", "sk-good", "sk-worse")).toEqual([{ id: "one", facts: {} }])
    expect(asked).toEqual(["Bearer sk-bad", "Bearer sk-good"])
    expect((yield* Effect.flip(listed("sk-bad", "sk-worse"))).message).toBe("it answered with status 401")
  })
)

it.scoped("an upstream that breaks the connection is not asked with each key", () =>
  Effect.gen(function* () {
    let connections = 0
    const broken = createServer((socket) => {
      connections++
      socket.destroy()
    })
    yield* Effect.async<void>((resume) => void broken.listen(0, "127.0.0.1", () => resume(Effect.void)))
    yield* Effect.addFinalizer(() => Effect.sync(() => broken.close()))
    const address = broken.address()
    const port = typeof address === "object" ? address?.port : undefined
    const keys = ["sk-one", "sk-two", "sk-three"].map((key) => Redacted.make(key))
    yield* Effect.flip(
      listModels({ protocol: "openai-chat", base_url: `http://127.0.0.1:${port}/v1`, keys }, undefined)
    )
    expect(connections).toBe(1)
  })
)

it.effect("ids that nothing could show are left out", () =>
  Effect.gen(function* () {
    const ids = (yield* listed("sk-hostile")).map(({ id }) => id)
    expect(ids).toEqual(hostile.slice(-2))
  })
)
