import { expect, it } from "@effect/vitest"
import { RefusedBetas } from "../../../src/upstreams/calls/RefusedBetas.ts"

it("a refused beta is left out for an hour, of its model alone", () => {
  let nowMs = 0
  const betas = new RefusedBetas(() => nowMs)
  expect(betas.learn("m", { betas: ["one"], isNamed: true })).toEqual(["one"])
  expect([...betas.at("m")]).toEqual(["one"])
  expect([...betas.at("other")]).toEqual([])
  nowMs = 3_599_999
  expect([...betas.at("m")]).toEqual(["one"])
  nowMs = 3_600_000
  expect([...betas.at("m")]).toEqual([])
})

it("what a request was accepted with is no suspect, until everything that is left was accepted once", () => {
  const betas = new RefusedBetas(() => 0)
  expect(betas.learn("m", { betas: ["a", "b", "c"], isNamed: false })).toEqual(["a", "b", "c"])
  expect([...betas.at("m")]).toEqual(["b", "c"])
  betas.accept("m", ["a"])
  expect([...betas.at("m")]).toEqual(["c"])
  expect(betas.learn("m", { betas: ["a", "b"], isNamed: false })).toEqual(["b"])
  expect([...betas.at("m")]).toEqual(["b"])
  betas.accept("m", ["a", "c"])
  expect(betas.learn("m", { betas: ["a", "c"], isNamed: false })).toEqual(["a", "c"])
})

it("remembers a thousand models at most", () => {
  const betas = new RefusedBetas(() => 0)
  for (let model = 0; model <= 1_000; model++) betas.learn(`m-${model}`, { betas: ["a"], isNamed: true })
  expect([...betas.at("m-0")]).toEqual([])
  expect([...betas.at("m-1000")]).toEqual(["a"])
})
