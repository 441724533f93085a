import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import { callersOf, families } from "./callers.ts"
import { isNative, outcomeOf } from "./matrix/Case.ts"
import type { Cell } from "./matrix/Case.ts"
import { cases } from "./matrix/cases.ts"
import { Results, sectionOf } from "./matrix/page.ts"
import { scriptedCell } from "./matrix/scripted.ts"
import type { World } from "./world.ts"
import { models, startWorld, textProtocols, upstreamKey } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.dispose())

const results = new Results(textProtocols)

describe.each(families)("%s", (family) => {
  describe.each(textProtocols)("to %s", (protocol) => {
    describe.each([false, true])("stream: %s", (stream) => {
      let cell: Cell
      beforeAll(() => {
        cell = scriptedCell(world, family, protocol, stream)
      })

      it.each(cases)("$name", async (one) => {
        const outcome = await outcomeOf(one, cell)
        results.set(family, protocol, one.name, stream, outcome)
        // Passthrough loses nothing. A PDF does not pass to vLLM, which reads none: its text goes there.
        const isPdfAsText = one.name === "a PDF" && protocol === "openai-chat"
        if (isNative(cell)) expect(outcome).toMatch(isPdfAsText ? /^≈ `document`$/ : /^[✓–]$/)
      })

      it("neither side sees the other's key", async () => {
        const model = models[protocol]
        const answer = await callersOf(world)[family].ask({ model, text: "play:text", stream })
        expect(answer.headers.get("x-gateway-upstream")).toBe(`up-${protocol}`)
        const { body, headers } = world.asked(protocol)
        expect(body.model).not.toBe(model)
        expect(JSON.stringify(headers)).toContain(upstreamKey)
        expect(JSON.stringify({ body, headers })).not.toContain(world.gateway.key)
      })

      it("an error before the first byte has the family's shape", async () => {
        const { error } = await cell.caller.broken({ model: models[protocol], text: "play:error-before", stream })
        expect(error).toMatchObject({ status: 400, message: expect.stringContaining("messages: too few of them") })
        expect(error).toMatchObject(
          family === "messages"
            ? { error: { type: "error", error: { type: "invalid_request_error" } } }
            : {
                code: "invalid_params",
                type: "invalid_request_error",
                param: isNative(cell) && family === "responses" ? "input" : null
              }
        )
      })
    })
  })
})

it("what an upstream of the dialect signs is the caller's to replay", async () => {
  const model = models["anthropic-messages"]
  const ask = { model, text: "play:reasoning", stream: true, thinks: true }
  const { items } = await callersOf(world).messages.ask(ask)
  expect(items[0]?.["opaque"]).toBe(spoken.signature)
})

it("docs/compatibility.md says how it turned out (`bun run test:long compatibility scripted` writes it)", () => {
  // A partial run can't be compared with the page.
  if (results.size < families.length * textProtocols.length * 2 * cases.length) return
  expect(sectionOf("scripted")).toBe(results.tables(cases.map(({ name }) => name)))
})
