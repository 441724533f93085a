import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { callSignature } from "../../upstreams/fakes/geminiSignatures.ts"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { places, startGeminiWorld } from "./geminiWorld.ts"
import type { GeminiWorld } from "./geminiWorld.ts"
import { callTurns, expectWhole, images, loopByChat, loopByMessages, loopByResponses, timesIn } from "./loops.ts"

let world: GeminiWorld
beforeAll(async () => {
  world = await startGeminiWorld()
})
afterAll(() => world.dispose())

/** The fake answers 400 to a turn whose first call has not its own signature. */
describe.each(places)("a loop of twenty turns with tools, images and thinking on Gemini, at %s", (place) => {
  const model = `flash-${place}`

  it.each([
    ["messages", () => loopByMessages(world.anthropic, model)],
    ["responses", () => loopByResponses(world.openai, model)],
    ["chat", () => loopByChat(world.openai, model)]
  ] as const)("by %s", async (family, loop) => {
    await loop()
    const { body } = (await world.asked()).at(-1)!
    const sent = JSON.stringify(body)
    expectWhole(sent, images[family], /"functionResponse":\{"id":"(\w+)"/g)
    expect(timesIn(sent, callSignature("get_weather", { city: spoken.city }))).toBe(callTurns)
  })
})
