import { expect, it } from "vitest"
import { bodied, formed } from "../../contract/endpoints.ts"
import { corpus } from "./corpus.ts"

it.each(bodied)("$method $path is sent hostile bodies", ({ method, pattern }) => {
  const sent = corpus.filter((hostile) => (hostile.method ?? "POST") === method && pattern.test(hostile.path))
  expect(sent.map(({ name }) => name)).not.toEqual([])
})

it.each(formed)("$method $path is sent hostile forms", ({ pattern }) => {
  expect(corpus.filter(({ path, type }) => type !== undefined && pattern.test(path)).length).toBeGreaterThan(10)
})

it("tells its bodies apart by endpoint and name", () => {
  const names = corpus.map(({ method = "POST", name, path }) => `${method} ${path} ${name}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
