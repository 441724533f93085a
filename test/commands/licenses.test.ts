import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { expect, it } from "vitest"
import { collectLicenses } from "../../src/commands/collectLicenses.ts"

const root = resolve(import.meta.dirname, "../..")

it("names every dependency, and what those depend on, with the text of its licence", () => {
  const all = collectLicenses(root)
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(
    readFileSync(resolve(root, "package.json"), "utf8")
  ) as Record<"dependencies" | "devDependencies" | "peerDependencies", Record<string, string>>
  const names = all.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys({ ...dependencies, ...peerDependencies })))
  // Tests use these too.
  const shared = ["fast-check", "@smithy/fetch-http-handler"]
  expect(names).toEqual(expect.arrayContaining(shared))
  expect(
    names.filter((name) => name in devDependencies && !shared.includes(name) && !(name in peerDependencies))
  ).toEqual([])
  const effect = all.find(({ name }) => name === "effect")
  expect([effect?.license, effect?.version]).toEqual(["MIT", devDependencies["effect"]])
  expect(effect?.text).toContain("MIT License")
  expect(all.filter(({ license }) => license === "see its text").map(({ name }) => name)).toEqual([])
})
