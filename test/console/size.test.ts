import { gzipSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import { bundlePage } from "../../src/console/bundle.ts"

it("the page is at most 250 KB, compressed", async () => {
  const files = await bundlePage("production")
  const bytes = files.reduce((sum, file) => sum + gzipSync(file.bytes, { level: 9 }).length, 0)
  console.log(`the console's page: ${Math.round(bytes / 1_000)} KB in ${files.length} files`)
  expect(bytes).toBeLessThanOrEqual(250_000)
  expect(files.some(({ name }) => name.startsWith("components"))).toBe(false)
})
