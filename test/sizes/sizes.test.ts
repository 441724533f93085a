import { describe, expect, it } from "vitest"
import { sizesOf } from "./sizes.ts"

const bounds = { longest: 3, median: 2, suppressions: 1 }
const files = (...texts: ReadonlyArray<string>) => new Map(texts.map((text, at) => [`room/${at}.ts`, text]))
const off = "// oxlint-disable-next-line no-console\n"

describe("sizes of the sources", () => {
  it("are fine within their bounds", () => {
    const sizes = sizesOf(files("1\n2\n3\n", "1\n2\n", "1\n"), files(off), bounds)
    expect(sizes).toEqual({ longest: 3, median: 2, suppressions: 1, complaints: [] })
  })

  it("name each file that is too long", () => {
    const { complaints } = sizesOf(files("1\n2\n3\n4\n", "1\n", "1\n"), files(), bounds)
    expect(complaints).toEqual(["room/0.ts: 4 lines, of 3 at most"])
  })

  it("hold the median", () => {
    const { complaints } = sizesOf(files("1\n2\n3\n", "1\n2\n3\n", "1\n"), files(), bounds)
    expect(complaints).toEqual(["the median file has 3 lines, of 2 at most"])
  })

  it("count what turns a rule off, of the linter and of the compilers", () => {
    const compilers = ["// @ts-expect-error\n", "// @ts-ignore\n", "// @effect-diagnostics foo:off\n"]
    const { complaints, suppressions } = sizesOf(files(off), files(...compilers), bounds)
    expect(suppressions).toBe(4)
    expect(complaints[0]).toBe("4 suppressions, of 1 at most:")
    expect(complaints[1]).toBe(`room/0.ts:1: ${off.trim()}`)
  })
})
