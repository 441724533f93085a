import { describe, expect, it } from "vitest"
import { placesOf, replaceAt } from "./place.ts"

const source = `
// It's the rule: who doesn't pay, is refused.
const admit = (caller: Caller, offers: Offers) =>
  offers.keep(caller.account, {
    isPaid: rule !== undefined,
  })
const other = (caller: Caller) => caller.account === "caller"
`
/** The source after a mutation, if the snippet stands there once. */
const mutated = (snippet: string, replacement: string) => {
  const [place, ...others] = placesOf(source, snippet)
  return place === undefined || others.length > 0 ? undefined : replaceAt(source, place, replacement)
}

describe("a mutant's snippet", () => {
  it("is found as it is written", () => {
    expect(mutated("rule !== undefined", "true")).toBe(source.replace("rule !== undefined", "true"))
  })

  it("is found in another layout", () => {
    expect(mutated("offers.keep(caller.account, { isPaid: rule !== undefined })", "void 0")).toContain(
      "=>\n  void 0\nconst"
    )
  })

  it("is found where its variables are called otherwise, and is replaced in their names", () => {
    expect(mutated("open.keep(who.account, { isPaid:", "open.keep(who.id, { isPaid:")).toContain(
      "offers.keep(caller.id, { isPaid:"
    )
  })

  it("is not found with another member, text or keyword, nor with one name for two", () => {
    expect(mutated("offers.kept(caller.account", "")).toBeUndefined()
    expect(mutated(`who.account === "who"`, "")).toBeUndefined()
    expect(mutated("rule !== null", "")).toBeUndefined()
    expect(mutated("one.keep(one.account", "")).toBeUndefined()
  })

  it("stands twice where two places are alike", () => {
    expect(placesOf(source, "(who: Caller")).toHaveLength(2)
    expect(placesOf(source, "caller: Caller")).toHaveLength(2)
  })
})
