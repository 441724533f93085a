import { expect, it } from "@effect/vitest"
import { agentsTable } from "../agents/places/table.ts"
import { sectionOf } from "../e2e/upstreams/matrix/page.ts"

it("docs/compatibility.md has what `bun run test:long agents:places` found", () => {
  expect(sectionOf("agents-places")).toBe(agentsTable())
})
