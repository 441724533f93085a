import { expect, it } from "@effect/vitest"
import { withBlocks } from "./blocks.ts"
import { read } from "./documents.ts"
import { videoBlocks } from "./videoFields.ts"

it("docs/videos.md has the fields as the protocols carry them: `bun run docs` writes them", async () => {
  const page = await read("docs/videos.md")
  expect(page).toBe(withBlocks(page, videoBlocks))
})
