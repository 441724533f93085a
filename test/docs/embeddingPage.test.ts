import { expect, it } from "@effect/vitest"
import { withBlocks } from "./blocks.ts"
import { read } from "./documents.ts"
import { exampleBlocks, exampleTests } from "./examples.ts"

it("docs/embedding.md shows the example tests as they are: `bun run docs` writes them", async () => {
  const page = await read("docs/embedding.md")
  expect(page).toBe(withBlocks(page, await exampleBlocks()))
})

it.each(exampleTests)("%s has at most 40 lines", async (name) => {
  expect((await read(`examples/${name}`)).trim().split("\n").length).toBeLessThanOrEqual(40)
})
