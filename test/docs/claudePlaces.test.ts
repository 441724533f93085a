import { expect, it } from "@effect/vitest"
import { claudePlacesTable } from "../e2e/upstreams/matrix/claudePlaces.ts"
import { sectionOf } from "../e2e/upstreams/matrix/page.ts"

it("docs/compatibility.md says what becomes of betas (`bun run test:long compatibility claude-places` writes it)", () => {
  expect(sectionOf("claude-places")).toBe(claudePlacesTable())
})
