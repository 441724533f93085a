import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Mcp } from "../../src/config/sections/Mcp.ts"

it.each([
  ["jira", true],
  ["9-lives", true],
  ["a_b-c_d", true],
  ["a".repeat(32), true],
  ["a".repeat(33), false],
  // These could be a server's name with that of a tool.
  ["a__b", false],
  ["a_", false],
  ["_a", false],
  ["Jira", false],
  ["own", false]
])("a server of tools may have the name %s: %s", (name, isAllowed) => {
  expect(Schema.is(Mcp)({ servers: { [name]: { url: "https://a.example" } } })).toBe(isAllowed)
})
