import { expect, it } from "vitest"
import { regexesOf } from "./regexes.ts"

it("finds the regular expressions of a source, and those that are only made at run time", () => {
  const text = 'const a = /x+/g\nconst b = new RegExp("y*", "i")\nconst c = RegExp(`${a}z`)\nconst d = "/no/"'
  expect(regexesOf(new Map([["a.ts", text]]))).toEqual([
    { place: "a.ts:1", pattern: "x+", flags: "g" },
    { place: "a.ts:2", pattern: "y*", flags: "i" },
    { place: "a.ts:3", pattern: undefined, flags: "" }
  ])
})
