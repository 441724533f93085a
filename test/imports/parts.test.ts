import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { readSources } from "./imports.ts"
import { shippedElsewhere } from "./parts.ts"

it("finds services that bring a part of their own", () => {
  const sources = new Map([
    ["Parts.ts", "export const shipped = { ledger: Ledger.Default, models: OwnModels.layer(one) }"],
    ["a.ts", `class A extends Effect.Service<A>()("a", { dependencies: [Commits.Default, Ledger.Default] }) {}`],
    ["b.ts", `class B extends Effect.Service<B>()("b", { dependencies: [Commits.Default] }) {}`],
    ["c.ts", "const live = Handlers.pipe(Layer.provide(Ledger.Default))"]
  ])
  const message = "Ledger.Default is a part of the gateway; ask for Ledger instead"
  expect(shippedElsewhere(sources, "Parts.ts")).toEqual([`a.ts: ${message}`, `c.ts: ${message}`])
})

it("finds none in the source", async () => {
  expect(shippedElsewhere(await readSources(join(import.meta.dirname, "../../src")), "Parts.ts")).toEqual([])
})
