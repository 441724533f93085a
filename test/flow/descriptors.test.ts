import { closeSync, openSync, readdirSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Descriptors, descriptors } from "../../src/flow/Descriptors.ts"

describe("the descriptors of this process", () => {
  it("are counted as they are, and have a limit", () => {
    const own = new Descriptors()
    expect(own.limit).toBeGreaterThan(100)
    expect(descriptors.limit).toBe(own.limit)
    const near = new Descriptors(() => readdirSync("/dev/fd").length + 30)
    expect(near.isExhausted()).toBe(false)
    const open = Array.from({ length: 40 }, () => openSync("/dev/null", "r"))
    expect(near.isExhausted()).toBe(true)
    open.forEach(closeSync)
    expect(near.isExhausted()).toBe(false)
  })

  it.each([
    [300, false, false],
    [301, true, false],
    [350, true, false],
    [351, true, true]
  ])("of 400 are scarce where %i are open: %s, and run out: %s", (open, isScarce, isFlooded) => {
    const own = new Descriptors(
      () => 400,
      () => open
    )
    expect([own.isScarce(), own.isFlooded()]).toEqual([isScarce, isFlooded])
  })

  it("are scarce for those that are about to be opened, too", () => {
    const own = new Descriptors(
      () => 400,
      () => 299
    )
    expect(own.isScarce()).toBe(false)
    own.opening()
    expect(own.isScarce()).toBe(false)
    own.opening()
    expect(own.isScarce()).toBe(true)
  })
})
