import { describe, expect, it } from "@effect/vitest"
import { edenGC, fullGC, heapStats } from "bun:jsc"
import { Members } from "../../src/flow/Members.ts"
import { NamedSlots } from "../../src/flow/NamedSlots.ts"

/** Some 800 bytes. */
const large = () => Array.from({ length: 100 }, () => 1.5)

/** What is alive, in bytes, after 15,000 have come and gone, never more than 32 at a time, and the young were collected. */
const kept = (come: (id: number) => () => void): number => {
  const leaving: Array<() => void> = []
  for (let id = 0; id < 32; id++) leaving.push(come(id))
  fullGC()
  fullGC()
  const before = heapStats().heapSize
  for (let id = 32; id < 15_000; id++) {
    leaving.shift()?.()
    leaving.push(come(id))
  }
  edenGC()
  return heapStats().heapSize - before
}

/** Of 12 MB that came and went. */
const little = 5_000_000

describe("what comes and goes under a name", () => {
  it("is there until it is deleted, in the order in which it came", () => {
    const named = new NamedSlots<number>()
    named.set("a", 1)
    named.set("b", 2)
    named.set("a", 3)
    expect([named.get("a"), named.get("c"), named.size, named.oldest, named.values()]).toEqual([
      3,
      undefined,
      2,
      "a",
      [3, 2]
    ])
    expect([named.delete("a"), named.delete("a"), named.size, named.oldest, named.values()]).toEqual([
      true,
      false,
      1,
      "b",
      [2]
    ])
  })

  it("is not kept alive once it is gone, as in a Map", () => {
    const map = new Map<string, unknown>()
    const ofMap = kept((id) => {
      map.set(String(id), large())
      return () => void map.delete(String(id))
    })
    expect(ofMap).toBeGreaterThan(little)

    const named = new NamedSlots<ReadonlyArray<number>>()
    const bytes = kept((id) => {
      named.set(String(id), large())
      return () => void named.delete(String(id))
    })
    expect(bytes).toBeLessThan(little)
  })
})

describe("members", () => {
  it("leave in any order, once", () => {
    const members = new Members<string>()
    const [a, b, c] = ["a", "b", "c"].map((name) => members.join(name))
    a?.()
    a?.()
    expect([...members.all()].sort()).toEqual(["b", "c"])
    c?.()
    expect(members.all()).toEqual(["b"])
    b?.()
    expect([members.size, members.all()]).toEqual([0, []])
  })

  it("are not kept alive once they are gone", () => {
    const members = new Members<ReadonlyArray<number>>()
    expect(kept(() => members.join(large()))).toBeLessThan(little)
  })
})
