import { Redacted } from "effect"
import { expect, it } from "vitest"
import { consolePath } from "../../src/console/consolePath.ts"
import { makeSeal } from "../../src/access/sealed.ts"

it("a sealed text opens with its key, for what it belongs to, unchanged", () => {
  const { open, seal } = makeSeal(Redacted.make(new Uint8Array(32).fill(1)))
  const sealed = seal("a refresh token", "person_1")
  expect(sealed).not.toContain("refresh")
  expect(seal("a refresh token", "person_1")).not.toBe(sealed)
  expect(open(sealed, "person_1")).toBe("a refresh token")
  expect(open(sealed, "person_2")).toBeUndefined()
  expect(makeSeal(Redacted.make(new Uint8Array(32))).open(sealed, "person_1")).toBeUndefined()
  const bytes = Buffer.from(sealed, "base64url")
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(open(changed.toString("base64url"), "person_1")).toBeUndefined()
  }
  for (const text of ["", "a", sealed.slice(0, 30), sealed.slice(0, 38)]) expect(open(text, "person_1")).toBeUndefined()
})

it.each([
  ["/console", "/console"],
  ["/console/keys?x=1", "/console/keys?x=1"],
  ["/gw/console/keys", "/console/keys"],
  [null, "/console"],
  ["", "/console"],
  ["/", "/console"],
  ["/admin/v1/keys", "/console"],
  ["/consolex", "/console"],
  ["/console/../admin", "/console"],
  ["//evil.test/console", "/console"],
  ["/\\evil.test/console", "/console"],
  ["/gw//evil.test/console", "/console"],
  ["https://evil.test/console", "/console"],
  ["javascript:alert(1)", "/console"],
  ["/console/%2e%2e/admin", "/console"],
  [`/console/${"x".repeat(2_500)}`, "/console"],
  ["/console/a\r\nb", "/console/ab"]
])("after a sign-in %s leads to %s", (asked, to) => {
  expect(consolePath(asked, "/gw", "whole")).toBe(to)
})
