import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { InvalidRequest, RateLimited } from "../../src/contract/failures/Failure.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { testDouble } from "../../src/contract/testDouble.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { Future } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Generation, GenerationEnding } from "../../src/generation/Generation.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { Pipeline } from "../../src/pipeline/Pipeline.ts"
import type { TextFamily } from "../../src/pipeline/TextFamily.ts"
import { incoming } from "../contract/incoming.ts"
import { conversation } from "../messages/request.ts"

const caller = Caller.unrestricted("a", "k")
const refusal = new InvalidRequest({ param: "input", message: "input: is refused" })
const busy = new RateLimited({ retryAfterSeconds: 1 })
const finished: GenerationEvent = { type: "finished", reason: "stop", stopSequence: null }

interface Plan {
  readonly found?: Effect.Effect<string, Failure> | undefined
  readonly isRefused?: boolean
  readonly stream?: boolean
  readonly generation?: Failure | ReadonlyArray<GenerationEvent>
}

/** A family whose answer is the number of its events, and what became of a request. */
const world = ({ found, generation = [finished], isRefused = false, stream = false }: Plan) => {
  const released: Array<readonly [string | undefined, GenerationEnding]> = []
  const cancelled: Array<GenerationEnding | undefined> = []
  const generate = (): Future<Generation, Failure> => {
    if ("_tag" in generation) return Future.fail(generation)
    const left = [...generation]
    return Future.succeed({
      next: () => {
        const event = left.shift()
        return event === undefined ? undefined : [event]
      },
      cancel: (how?: GenerationEnding) => void cancelled.push(how)
    })
  }
  const encoding = () => ({
    machine: { initial: 0, step: (state: number) => [state + 1, []] as const },
    answer: (state: number) => state
  })
  const family: TextFamily<object, string, number, number, number> = {
    dialect: "chat",
    heartbeat: ": ping\n\n",
    lookUp: () => found,
    understand: () =>
      isRefused
        ? refusal
        : {
            conversation: conversation({}),
            stream,
            objection: () => undefined,
            translated: encoding,
            passed: encoding
          },
    release: (_, stored, how) => void released.push([stored, how])
  }
  const input = { caller, payload: {}, request: incoming() }
  const use = <A, E, R>(effect: Effect.Effect<A, E, R | Pipeline>) =>
    Effect.exit(Effect.provide(effect, Pipeline.Default)).pipe(Effect.provide(testDouble(Dispatch, { generate })))
  const answer = use(Effect.flatMap(Pipeline, (pipeline) => toEffect(() => pipeline.answer(family)(input))))
  return { answer, cancelled, family, input, released, use }
}

describe("a request with something to look up", () => {
  it.effect.each<readonly [string, Plan, Failure, string | undefined]>([
    ["can't be looked up", { found: Effect.fail(busy) }, busy, undefined],
    ["is refused by its family", { found: Effect.succeed("turn"), isRefused: true }, refusal, "turn"],
    ["is refused by its upstream", { found: Effect.succeed("turn"), generation: busy }, busy, "turn"],
    [
      "fails in its first event",
      { found: Effect.succeed("turn"), stream: true, generation: [{ type: "failed", failure: busy }] },
      busy,
      "turn"
    ]
  ])("is released once where it %s", ([, plan, failure, stored]) =>
    Effect.gen(function* () {
      const { answer, released } = world(plan)
      expect(yield* answer).toEqual(Exit.fail(failure))
      expect(released).toEqual([[stored, "failed"]])
    })
  )

  it.effect("is released once its answer is whole", () =>
    Effect.gen(function* () {
      const { answer, cancelled, released } = world({ found: Effect.yieldNow().pipe(Effect.as("turn")) })
      expect(yield* answer).toEqual(Exit.succeed(1))
      expect(cancelled).toEqual(["finished"])
      expect(released).toEqual([["turn", "finished"]])
    })
  )
})

describe("a request with nothing to look up", () => {
  it.effect("is answered at once, and has nothing to release", () =>
    Effect.gen(function* () {
      const { family, input, released, use } = world({})
      const settled = yield* use(Effect.map(Pipeline, ({ answer }) => answer(family)(input).settled?.exit))
      expect(settled).toEqual(Exit.succeed(Exit.succeed(1)))
      expect(released).toEqual([])
    })
  )
})

describe("a started generation", () => {
  it.effect("is cancelled and released at the end of its scope", () =>
    Effect.gen(function* () {
      const { cancelled, family, input, released, use } = world({ found: Effect.succeed("turn") })
      const pulled = Effect.flatMap(Pipeline, ({ start }) =>
        Effect.map(start(family)(input, { stream: false }), ({ encode, generation }) => {
          expect([cancelled, released]).toEqual([[], []])
          return [generation.next(), encode(({ answer }) => answer.length)]
        })
      )
      expect(yield* use(Effect.scoped(pulled))).toEqual(Exit.succeed([[finished], 1]))
      expect(cancelled).toEqual([undefined])
      expect(released).toEqual([["turn", "finished"]])
    })
  )
})
