import { expect, it } from "@effect/vitest"
import { SeenRefusals } from "../../src/routing/SeenRefusals.ts"

const dayMs = 86_400_000
const refusal = { account: "a", upstream: "groq", model: "qwen", path: "seed", words: "property 'seed' is unsupported" }

it("a refusal is told once a day", () => {
  let nowMs = 1_000
  const seen = new SeenRefusals(() => nowMs)
  expect([seen.note(refusal), seen.note(refusal), seen.note({ ...refusal, model: "llama" })]).toEqual([
    true,
    false,
    true
  ])
  nowMs += dayMs - 1
  expect([seen.note(refusal), seen.all(nowMs).length]).toEqual([false, 2])
  nowMs += 1
  expect([seen.all(nowMs).length, seen.note(refusal), seen.note(refusal)]).toEqual([0, true, false])
})

it("a field of each turn is one", () => {
  const seen = new SeenRefusals()
  expect([1, 2, 30].map((at) => seen.note({ ...refusal, path: `messages.${at}.name` }))).toEqual([true, false, false])
})

it("fields that a caller makes up are twenty of a model at most, and short", () => {
  const seen = new SeenRefusals(() => 0)
  const told = Array.from({ length: 5_000 }, (_, at) =>
    seen.note({ ...refusal, path: `made-up-${String.fromCharCode(97 + (at % 26)).repeat(5 * at)}` })
  ).filter(Boolean)
  expect(told).toHaveLength(20)
  expect(Math.max(...seen.all(0).map(({ path }) => path.length))).toBe(80)
  expect(seen.note({ ...refusal, model: "other" })).toBe(true)
})

it("models that a caller makes up crowd out nobody else's refusals, and fill no log", () => {
  const seen = new SeenRefusals(() => 0)
  expect(seen.note(refusal)).toBe(true)
  const told = Array.from({ length: 5_000 }, (_, at) => seen.note({ ...refusal, account: "b", model: `m${at}` }))
  expect(told.filter(Boolean)).toHaveLength(50)
  expect(seen.note({ ...refusal, account: "c" })).toBe(false)
  expect(seen.note({ ...refusal, account: "c", path: "top_k" })).toBe(true)
  for (let at = 0; at < 5_000; at++) seen.note({ ...refusal, account: `a${at}`, model: `m${at}` })
  expect(seen.all(0).length).toBeLessThanOrEqual(1_000)
})
