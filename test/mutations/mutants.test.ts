import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { mutants } from "./mutants.ts"
import { stale } from "./stale.ts"

const root = join(import.meta.dirname, "../..")

it("has mutants of what is in the source, each in one place", () => {
  expect(mutants.flatMap((mutant) => stale(mutant, root) ?? [])).toEqual([])
})

it("calls no two mutants the same", () => {
  const names = mutants.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it("names tests that are there", () => {
  const named = new Set(mutants.flatMap(({ tests }) => tests))
  expect([...named].filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it("tells of a mutant whose line is gone or stands twice", () => {
  const [mutant] = mutants
  if (mutant === undefined) return expect.fail("there are no mutants")
  const text = readFileSync(join(root, mutant.file), "utf8")
  expect(stale({ ...mutant, snippet: `${text}.` }, root)).toContain("0 times")
  expect(stale({ ...mutant, snippet: "const " }, root)).toMatch(/[1-9]\d times/)
})
