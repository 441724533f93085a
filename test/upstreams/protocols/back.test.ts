import { expect, it } from "vitest"
import { backOf } from "../../../src/upstreams/protocols/back.ts"
import { conversation } from "../../generation/conversations.ts"

const backFor = (names: ReadonlyArray<string>) =>
  backOf(
    conversation({
      tools: names.map((name) => ({
        type: "function",
        name,
        description: undefined,
        parameters: { type: "object" },
        strict: undefined
      }))
    })
  )

it("mends the names that upstreams do not take, each to one of its own, and back", () => {
  const names = ["_", "__2", "天", "地", "天气", "a.b", "a_b", "é".repeat(70), "è".repeat(70)]
  const back = backFor(names)
  const mended = names.map((name) => back.upstreamName(name))
  expect(mended).toEqual(["_", "__2", "__3", "__4", "__", "a_b_2", "a_b", "_".repeat(60), `${"_".repeat(60)}_2`])
  expect(mended.map((name) => back.callerName(name))).toEqual(names)
})

it("leaves an unknown name as it is", () => {
  const back = backFor(["天"])
  expect([back.upstreamName("b.c"), back.callerName("b")]).toEqual(["b.c", "b"])
})
