import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { families } from "./callers.ts"
import { outcomeOf } from "./matrix/Case.ts"
import { cases } from "./matrix/cases.ts"
import { converseTable, placeOf, startConverse } from "./matrix/converse.ts"
import { sectionOf } from "./matrix/page.ts"

let converse: Awaited<ReturnType<typeof startConverse>>
beforeAll(async () => {
  converse = await startConverse()
})
afterAll(() => converse.dispose())

const outcomes = new Map<string, string>()

describe.each(families)("%s to bedrock-converse", (family) => {
  describe.each([false, true])("stream: %s", (stream) => {
    it.each(cases)("$name", async (one) => {
      outcomes.set(placeOf(one.name, family, stream), await outcomeOf(one, converse.cellOf(family, stream)))
    })
  })
})

it("docs/compatibility.md says how it turned out (`bun run test:long compatibility bedrock-converse` writes it)", () => {
  // A partial run can't be compared with the page.
  if (outcomes.size < families.length * 2 * cases.length) return
  expect(sectionOf("bedrock-converse")).toBe(converseTable(outcomes))
})
