import { afterAll, describe, expect, it, vi } from "@effect/vitest"
import { Effect, Exit, Fiber, Redacted, TestClock } from "effect"
import type { Duration } from "effect"
import { approval } from "../../../src/commands/login/approval.ts"
import { Refused } from "../../../src/commands/login/AuthorizationServer.ts"
import type { AuthorizationServer, TokenAnswer } from "../../../src/commands/login/AuthorizationServer.ts"
import { Unreachable } from "../../../src/commands/operator/client.ts"

// The instructions.
const shown = vi.spyOn(console, "error").mockImplementation(() => {})
afterAll(() => shown.mockRestore())

const device = {
  device_code: Redacted.make("device-code"),
  user_code: "BCDF-GHJK",
  verification_uri: "https://gw.test/device",
  expires_in: 600
}
const answer: TokenAnswer = { access_token: Redacted.make("token"), token_type: "Bearer" }

const refusal = (error: string) => new Refused({ error, message: error })
const away = new Unreachable({ message: "away" })

/** Answers with these in turn, the last one for ever; the seconds at which it was asked. */
const serving = (answers: ReadonlyArray<Refused | Unreachable | TokenAnswer>, interval?: number) => {
  const seconds: Array<number> = []
  const forms: Array<object> = []
  const server: AuthorizationServer = {
    authorizeDevice: () => Effect.succeed({ ...device, ...(interval === undefined ? {} : { interval }) }),
    token: (form) =>
      Effect.flatMap(TestClock.currentTimeMillis, (now) => {
        const next = answers[Math.min(seconds.length, answers.length - 1)] ?? answer
        seconds.push(now / 1_000)
        forms.push(form)
        return "_tag" in next ? Effect.fail(next) : Effect.succeed(next)
      }),
    revoke: () => Effect.void
  }
  return { forms, seconds, server }
}

const after = (server: AuthorizationServer, time: Duration.DurationInput) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(approval(server, { surface: "gateway_cli" }))
    yield* TestClock.adjust(time)
    return yield* Fiber.poll(fiber)
  })

const pending = refusal("authorization_pending")

describe("waiting for the browser", () => {
  it.effect("asks at the interval that it is told, otherwise every five seconds", () =>
    Effect.gen(function* () {
      for (const [interval, seconds] of [
        [2, [2, 4, 6]],
        [undefined, [5, 10, 15]]
      ] as const) {
        const asked = serving([pending, pending, answer], interval)
        const exit = yield* after(asked.server, "20 seconds")
        expect(asked.seconds).toEqual(seconds.map((second) => second + (interval === undefined ? 20 : 0)))
        expect(exit._tag === "Some" && Exit.isSuccess(exit.value) && exit.value.value).toEqual(answer)
        expect(asked.forms[0]).toEqual({
          grant_type: "urn:ietf:params:oauth:grant-type:device_code",
          device_code: "device-code"
        })
      }
    })
  )

  it.effect("asks five seconds later from each slow_down on", () =>
    Effect.gen(function* () {
      const asked = serving([pending, refusal("slow_down"), pending, refusal("slow_down"), pending, answer], 2)
      yield* after(asked.server, "1 minute")
      expect(asked.seconds).toEqual([2, 4, 11, 18, 30, 42])
    })
  )

  it.effect("outlasts a gateway that is away, and asks it less and less often", () =>
    Effect.gen(function* () {
      const asked = serving([away, away, away, away, answer], 5)
      yield* after(asked.server, "5 minutes")
      expect(asked.seconds).toEqual([5, 15, 35, 65, 95])
    })
  )

  it.effect.each([
    ["access_denied", "the code was refused in the browser; nothing was stored"],
    ["expired_token", "the code was not approved in time; nothing was stored"],
    ["invalid_request", "invalid_request"]
  ] as const)("ends with %s", ([error, message]) =>
    Effect.gen(function* () {
      const asked = serving([pending, refusal(error), answer], 5)
      const exit = yield* after(asked.server, "1 minute")
      expect(asked.seconds).toEqual([5, 10])
      expect(exit._tag === "Some" && (yield* Effect.flip(exit.value))).toMatchObject({ message })
    })
  )

  it.effect("ends when the code does, whatever the gateway says", () =>
    Effect.gen(function* () {
      const asked = serving([pending], 5)
      expect((yield* after(asked.server, "599 seconds"))._tag).toBe("None")
      const fiber = yield* Effect.fork(Effect.flip(approval(serving([pending], 5).server, {})))
      yield* TestClock.adjust("600 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "NotSignedIn" })
    })
  )
})
