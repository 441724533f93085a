import { expect, it } from "@effect/vitest"
import { Slots } from "../../src/routing/Slots.ts"

it("who waits comes in order, and leaves from anywhere in the line", () => {
  const slots = new Slots(1)
  const [first, second, third, fourth, fifth] = [1, 2, 3, 4, 5].map(() => slots.take())
  expect([first?.isFree, second?.isFree, slots.running, slots.waiting]).toEqual([true, false, 1, 4])
  third?.leave()
  third?.leave()
  fifth?.leave()
  expect([slots.running, slots.waiting]).toEqual([1, 2])
  // To the second, and from it to the fourth.
  first?.leave()
  expect([slots.running, slots.waiting]).toEqual([1, 1])
  second?.leave()
  expect([slots.running, slots.waiting]).toEqual([1, 0])
  fourth?.leave()
  fourth?.leave()
  expect([slots.running, slots.waiting]).toEqual([0, 0])
  expect(slots.take().isFree).toBe(true)
})
