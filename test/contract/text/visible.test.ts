import { expect, it } from "@effect/vitest"
import { table } from "../../../src/commands/table.ts"
import { visible } from "../../../src/contract/text/visible.ts"

it.each([
  ["gpt\u202Eexe.5", "gpt<U+202E>exe.5"],
  ["a\u2066b\u2069\u200Fc", "a<U+2066>b<U+2069><U+200F>c"],
  ["zero\u200Bwidth\uFEFF", "zero<U+200B>width<U+FEFF>"],
  ["line\u2028break", "line<U+2028>break"],
  ["tag\u{E0041}", "tag<U+E0041>"],
  ["red\u001B[31m\nnext", "red [31m next"],
  ["👩\u200D🚀 می\u200Cخواهم", "👩\u200D🚀 می\u200Cخواهم"]
])("%j shows as %j", (text, shown) => {
  expect(visible(text)).toBe(shown)
  expect(table(["NAME"], [[text]])).toContain(shown)
})
