import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import { arrangeRoutes, withKeys } from "../../src/routing/arrangeRoutes.ts"
import type { WeightedRoute } from "../../src/routing/arrangeRoutes.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import { tryRoutes } from "../../src/routing/tryRoutes.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, tooMany, word } from "./generations.ts"

const account = requester("team")
const routes: ReadonlyArray<WeightedRoute> = [
  { upstream: "a", model: "m", weight: 2 },
  { upstream: "b", model: "m", weight: 1 },
  { upstream: "c", model: "m", weight: 1 }
]
const keys = [1, 1, 2, 1].map((weight, index) => ({ key: `key ${index}`, weight, upstream: undefined }))
const conversations = Array.from({ length: 200 }, (_, index) => `conversation ${index}`)
const turns = Array.from({ length: 20 }, (_, index) => index)

type Refuses = (route: WeightedRoute, turn: number) => UpstreamError | undefined

/** A node: gives the upstream and key that answered. */
const makeNode = (refuses: Refuses) =>
  Effect.zipWith(Effect.runtime(), Effect.clock, (runtime, clock) => {
    const coolDowns = new RetryAfter(clock)
    return (conversation: string, turn: number) =>
      Effect.suspend(() => {
        let at = ""
        const call = (route: WeightedRoute): Effect.Effect<Generation, UpstreamError> => {
          at = `${route.upstream} ${route.key}`
          return refuses(route, turn) ?? Effect.succeed(word("yes"))
        }
        const ordered = withKeys(
          arrangeRoutes(routes, () => conversation),
          () => keys,
          { name: conversation },
          (route, { key }) => ({ ...route, key })
        )
        const tried = toEffect(() =>
          tryRoutes({ runtime, coolDowns }, account, ordered, (route) => runFuture(runtime, call(route)))
        )
        return Effect.map(tried, () => at)
      })
  })

/** Where each turn of each conversation was answered; turns go to the nodes in turn, half a minute apart. */
const played = (nodes: number, refuses: Refuses) =>
  Effect.gen(function* () {
    const all = yield* Effect.all(Array.from({ length: nodes }, () => makeNode(refuses)))
    const places = new Map<string, Array<string>>(conversations.map((one) => [one, []]))
    for (const turn of turns) {
      for (const [index, conversation] of conversations.entries()) {
        const node = all[(turn + index) % nodes]
        if (node !== undefined) places.get(conversation)?.push(yield* node(conversation, turn))
      }
      yield* TestClock.adjust("30 seconds")
    }
    return [...places.values()]
  })

const moves = (places: ReadonlyArray<string>) =>
  places.filter((place, turn) => turn > 0 && place !== places[turn - 1]).length

describe("twenty turns of two hundred conversations over three routes and four keys", () => {
  it.effect("stay where they began, on two nodes alike", () =>
    Effect.gen(function* () {
      const all = yield* played(2, () => undefined)
      expect(all.filter((places) => moves(places) > 0)).toEqual([])
      expect(new Set(all.flat()).size).toBe(routes.length * keys.length)
    })
  )

  it.effect("are moved at most twice by an outage of an upstream, and no others than its own", () =>
    Effect.gen(function* () {
      const isDown = (turn: number) => turn >= 5 && turn < 10
      const all = yield* played(1, ({ upstream }, turn) =>
        upstream === "b" && isDown(turn) ? refused({ trouble: "unreachable" }) : undefined
      )
      for (const places of all) {
        const isItsOwn = places[0]?.startsWith("b") === true
        expect(moves(places)).toBe(isItsOwn ? 2 : 0)
        expect(places.at(-1)).toBe(places[0])
        if (isItsOwn) expect(new Set(places.slice(5, 10)).size).toBe(1)
      }
    })
  )

  it.effect("are moved at most twice by a limited key, within their upstream", () =>
    Effect.gen(function* () {
      const all = yield* played(1, ({ key, upstream }, turn) =>
        upstream === "a" && key === "key 2" && turn >= 5 && turn < 10 ? tooMany(45) : undefined
      )
      for (const places of all) {
        expect(moves(places)).toBe(places[0] === "a key 2" ? 2 : 0)
        expect(new Set(places.map((place) => place[0])).size).toBe(1)
      }
    })
  )
})
