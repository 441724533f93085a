import { describe, expect, it } from "vitest"
import { Patience } from "../../src/limits/Patience.ts"

const afterMs = <A>(ms: number, value: A) => new Promise<A>((resolve) => setTimeout(() => resolve(value), ms))

const busyFor = (ms: number) => {
  for (const until = performance.now() + ms; performance.now() < until;);
}

describe("patience", () => {
  it("ends where nothing comes, for each who waits", async () => {
    const patience = new Patience(40)
    const never = new Promise<never>(() => {})
    const all = await Promise.allSettled([
      patience.wait(never),
      patience.wait(Promise.resolve(1)),
      patience.wait(never)
    ])
    expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"])
    await expect(patience.wait(Promise.reject(new Error("refused")))).rejects.toThrow("refused")
  })

  it("does not count what this process was busy with itself", async () => {
    const patience = new Patience(100)
    const waiting = patience.wait(afterMs(1, "there"))
    busyFor(400)
    expect(await waiting).toBe("there")
    // Nothing could be sent before, nor come back.
    const answered = Promise.withResolvers<string>()
    const late = patience.wait(answered.promise)
    busyFor(400)
    setTimeout(() => answered.resolve("late"), 30)
    expect(await late).toBe("late")
  })
})
