import { expect, it } from "@effect/vitest"
import { withBlocks } from "./blocks.ts"
import { read } from "./documents.ts"
import { methodsBlocks } from "./methodsTable.ts"
import { placesBlocks } from "./placesTable.ts"

it("docs/compatibility.md has what each place takes: `bun run docs` writes it", async () => {
  const page = await read("docs/compatibility.md")
  expect(page).toBe(withBlocks(page, placesBlocks))
})

it("docs/compatibility.md has every method of the official clients: `bun run docs` writes it", async () => {
  const page = await read("docs/compatibility.md")
  expect(page).toBe(withBlocks(page, await methodsBlocks()))
})
