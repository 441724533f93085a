import { expect, it } from "@effect/vitest"
import { RefusedParts } from "../../../src/upstreams/calls/RefusedParts.ts"
import { AccountId } from "../../../src/contract/callers/Caller.ts"

const of = (upstreamModel: string, account = "a") => ({
  upstreamModel,
  serves: { caller: { account: AccountId.make(account) }, request: { body: {} } }
})
const m = of("m")

it("a refused beta is left out for an hour, of its model alone", () => {
  let nowMs = 0
  const betas = new RefusedParts(() => nowMs)
  expect(betas.learn(m, { betas: ["one"], isNamed: true })).toEqual(["one"])
  expect([...betas.at(of("m")).betas]).toEqual(["one"])
  expect([...betas.at(of("other")).betas]).toEqual([])
  nowMs = 3_599_999
  expect([...betas.at(of("m")).betas]).toEqual(["one"])
  nowMs = 3_600_000
  expect([...betas.at(of("m")).betas]).toEqual([])
})

it("what a request was accepted with is no suspect, until everything that is left was accepted once", () => {
  const betas = new RefusedParts(() => 0)
  expect(betas.learn(m, { betas: ["a", "b", "c"], isNamed: false })).toEqual(["a", "b", "c"])
  expect([...betas.at(of("m")).betas]).toEqual(["b", "c"])
  betas.accept(m, ["a"])
  expect([...betas.at(of("m")).betas]).toEqual(["c"])
  expect(betas.learn(m, { betas: ["a", "b"], isNamed: false })).toEqual(["b"])
  expect([...betas.at(of("m")).betas]).toEqual(["b"])
  betas.accept(m, ["a", "c"])
  expect(betas.learn(m, { betas: ["a", "c"], isNamed: false })).toEqual(["a", "c"])
})

it("remembers a thousand models at most", () => {
  const betas = new RefusedParts(() => 0)
  for (let model = 0; model <= 1_000; model++) betas.learn(of(`m-${model}`), { betas: ["a"], isNamed: true })
  expect([...betas.at(of("m-0")).betas]).toEqual([])
  expect([...betas.at(of("m-1000")).betas]).toEqual(["a"])
})

it("what one account's requests provoke changes no other account's", () => {
  const parts = new RefusedParts(() => 0)
  parts.learn(m, { betas: ["one"], isNamed: true })
  parts.learn(m, { betas: ["two", "three"], isNamed: false })
  parts.learnField(m, "seed")
  expect([[...parts.at(m).betas], parts.at(m).fields]).toEqual([["one", "three"], ["seed"]])
  const other = of("m", "b")
  expect([[...parts.at(other).betas], parts.at(other).fields]).toEqual([[], []])
})

it("suspects and fields are forgotten after an hour, and names that a caller makes up are a hundred at most", () => {
  let nowMs = 0
  const parts = new RefusedParts(() => nowMs)
  parts.learn(m, { betas: ["a", "b"], isNamed: false })
  for (let at = 0; at < 250; at++) parts.learnField(m, `made-up-${at}`)
  expect([[...parts.at(m).betas], parts.at(m).fields.length]).toEqual([["b"], 50])
  nowMs = 3_600_000
  expect([[...parts.at(m).betas], parts.at(m).fields]).toEqual([[], []])
})
