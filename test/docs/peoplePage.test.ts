import { expect, it } from "@effect/vitest"
import { withBlocks } from "./blocks.ts"
import { read } from "./documents.ts"
import { roleBlocks } from "./roleTable.ts"

it("docs/people.md has the roles as they are: `bun run docs` writes them", async () => {
  const page = await read("docs/people.md")
  expect(page).toBe(withBlocks(page, roleBlocks))
})
