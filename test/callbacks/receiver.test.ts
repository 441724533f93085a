import { createServer as createHttp } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { createServer as createTcp } from "node:net"
import type { AddressInfo, Server } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import OpenAI from "openai"
import { Webhook } from "standardwebhooks"
import { WebhookSecrets } from "../../src/access/WebhookSecrets.ts"
import { Deliveries } from "../../src/callbacks/Deliveries.ts"
import { account, createTask, moveTask, openGuard, owner, sending } from "./world.ts"

interface Received {
  readonly atMs: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => server.close())
  )

/** A receiver that takes notes; `until` waits for what it is to have received. */
const receiver = (answer: (received: Received) => { status: number; headers?: Record<string, string> }) => {
  const received: Array<Received> = []
  const server = createHttp((request, reply) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const one = { atMs: Date.now(), headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(one)
      const { status, headers } = answer(one)
      reply.writeHead(status, headers).end("a body that nobody must see")
    })
  })
  const until = (count: number) =>
    Effect.gen(function* () {
      while (received.length < count) yield* Effect.sleep("5 millis")
      return received
    })
  return Effect.map(listening(server), (port) => ({ port, received, until }))
}

describe("a real receiver", () => {
  it.scopedLive(
    "verifies every callback with the standardwebhooks and openai packages, before and after a rotation",
    () =>
      Effect.gen(function* () {
        const { port, until } = yield* receiver(() => ({ status: 200 }))
        const secrets = yield* WebhookSecrets
        yield* account(owner)
        const [old] = yield* secrets.signing(owner)
        yield* createTask("t1", `http://receiver.test:${port}/hook?token=x`)
        yield* until(1)
        const fresh = yield* secrets.rotate(owner)
        yield* moveTask("t1", "running")
        const [first, second] = yield* until(2)
        const verify = async (received: Received, secret: Redacted.Redacted) => {
          const headers = received.headers as Record<string, string>
          expect(new Webhook(Redacted.value(secret)).verify(received.body, headers)).toMatchObject({ id: "t1" })
          const { webhooks } = new OpenAI({ apiKey: "none" })
          await webhooks.verifySignature(received.body, headers, Redacted.value(secret))
        }
        yield* Effect.promise(() => verify(first!, old!))
        yield* Effect.promise(() => verify(second!, old!))
        yield* Effect.promise(() => verify(second!, fresh))
        expect(() => new Webhook(Redacted.value(fresh)).verify(first!.body, first!.headers as never)).toThrow()
        expect(second!.headers["webhook-signature"]?.toString().split(" ")).toHaveLength(2)
        expect(first!.headers).toMatchObject({
          host: `receiver.test:${port}`,
          "content-type": "application/json",
          "user-agent": "model-gateway"
        })
      }).pipe(Effect.provide(sending(openGuard)))
  )

  it.scopedLive("is reached at the address the guard allows, or not at all, and its body is kept nowhere", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries
      const { port, until } = yield* receiver(() => ({ status: 500 }))
      yield* createTask("t1", `http://receiver.test:${port}/`)
      yield* createTask("t2", `http://[::1]:${port}/`)
      yield* until(1)
      while ((yield* deliveries.list(owner, "t2"))[0]?.attempts.length !== 1) yield* Effect.sleep("5 millis")
      while ((yield* deliveries.list(owner, "t1"))[0]?.attempts.length !== 1) yield* Effect.sleep("5 millis")
      const [refused] = yield* deliveries.list(owner, "t2")
      expect(refused?.attempts[0]?.reason).toContain("expected a public address")
      expect(JSON.stringify(yield* deliveries.list(owner, "t1"))).not.toContain("nobody must see")
    }).pipe(Effect.provide(sending(openGuard)))
  )

  it.scopedLive("that is dead, with 1,000 deliveries, does not delay another's first attempt by 2 s", () =>
    Effect.gen(function* () {
      let held = 0
      const dead = yield* listening(
        createTcp((socket) => {
          held++
          socket.on("error", () => {})
        })
      )
      const { port, until, received } = yield* receiver(() => ({ status: 200 }))
      const deadUrl = `http://dead.test:${dead}/`
      yield* Effect.forEach(
        Array.from({ length: 1_000 }, (_, i) => i),
        (i) => createTask(`dead${i}`, deadUrl),
        {
          concurrency: 100,
          discard: true
        }
      )
      while (held < 4) yield* Effect.sleep("5 millis")
      const waits: Array<number> = []
      for (let i = 0; i < 20; i++) {
        const createdAt = Date.now()
        yield* createTask(`live${i}`, `http://live.test:${port}/`)
        yield* until(i + 1)
        waits.push(received[i]!.atMs - createdAt)
      }
      expect(Math.max(...waits)).toBeLessThan(2_000)
      // A dead one holds some sockets, never all.
      expect(held).toBe(4)
    }).pipe(Effect.provide(sending(openGuard)))
  )
})
