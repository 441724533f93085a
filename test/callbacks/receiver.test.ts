import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import OpenAI from "openai"
import { Webhook } from "standardwebhooks"
import { WebhookSecrets } from "../../src/access/WebhookSecrets.ts"
import { Deliveries } from "../../src/callbacks/Deliveries.ts"
import { deadReceiver, receiver } from "./receivers.ts"
import type { Received } from "./receivers.ts"
import { account, createTask, moveTask, openGuard, owner, sending } from "./world.ts"
import { describeOnEach } from "../sql/engines.ts"

describeOnEach("a real receiver", () => {
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
        const headers = first!.headers as Record<string, string>
        expect(() => new Webhook(Redacted.value(fresh)).verify(first!.body, headers)).toThrow()
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
      expect(JSON.stringify(yield* deliveries.list(owner, "t1"))).not.toContain("must stay hidden")
    }).pipe(Effect.provide(sending(openGuard)))
  )

  it.scopedLive("that is dead, with 1,000 deliveries, does not stand in another's way", () =>
    Effect.gen(function* () {
      const dead = yield* deadReceiver
      const { port, until } = yield* receiver(() => ({ status: 200 }))
      yield* Effect.forEach(
        Array.from({ length: 1_000 }).keys(),
        (i) => createTask(`dead${i}`, `http://dead.test:${dead.port}/`),
        {
          concurrency: 100,
          discard: true
        }
      )
      while (dead.held() < 4) yield* Effect.sleep("5 millis")
      for (let i = 0; i < 20; i++) {
        yield* createTask(`live${i}`, `http://live.test:${port}/`)
        yield* until(i + 1)
      }
      // A dead one holds some sockets, never all.
      expect(dead.held()).toBe(4)
    }).pipe(Effect.provide(sending(openGuard)))
  )
})
