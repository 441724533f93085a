import { describe, expect, it } from "@effect/vitest"
import { isWithin } from "../../src/generation/isWithin.ts"

describe("isWithin", () => {
  it.each([
    ["example.com/a", "example.com", true],
    ["docs.example.com/a", "Example.COM", true],
    ["example.com/a", "docs.example.com", false],
    ["notexample.com/", "example.com", false],
    ["example.com/blog/post", "example.com/blog", true],
    ["example.com/blog/post", "example.com/blog/", true],
    ["example.com/blogger", "example.com/blog", false],
    ["example.com/", "example.com/blog", false],
    ["example.com/a/b/c", "example.com/a/*/c", true],
    ["example.com/x/b/c", "example.com/a/*", false]
  ])("%s in %s: %s", (address, domain, expected) => {
    expect(isWithin(address, domain)).toBe(expected)
  })
})
