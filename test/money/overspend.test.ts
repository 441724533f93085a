import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { dollar, families, familyNames, startWorld, until } from "./world.ts"
import type { World } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld([...familyNames, "limited", "streams"])
})
afterAll(() => world.dispose())

const parallel = <A>(count: number, run: (n: number) => Promise<A>) =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)))

describe("200 parallel requests on a balance for exactly ten", () => {
  it.each(familyNames)(
    "of %s: ten pass, the others get 402 in the family's shape, and the ledger balances",
    async (family) => {
      const answers = await parallel(200, () => world.ask({ key: family, family }))
      const passed = answers.filter(({ status }) => status === 200)
      const refused = answers.filter(({ status }) => status === 402)
      expect([passed.length, refused.length]).toEqual([10, 190])
      for (const { headers, json } of refused) {
        expect(json).toMatchObject(families[family].broke)
        expect(headers.get("x-should-retry")).toBe("false")
      }
      const before = world.account(family)
      expect(before.granted).toBe(10 * dollar)
      expect(before.settled + before.held).toBe(10 * dollar)
      // What was held becomes what was spent, and not a nano-dollar else.
      const after = await until(
        () => world.account(family),
        ({ held, settled }) => held === 0 && settled > 0
      )
      expect(after.settled).toBe(10 * dollar)
      expect(after.usage.map(({ cost }) => cost)).toEqual(Array.from({ length: 10 }, () => dollar))
      const balance = await world.call("/v1/balance", family)
      expect(await balance.json()).toMatchObject({
        granted: { nano_usd: 10 * dollar },
        settled: { nano_usd: 10 * dollar },
        held: { nano_usd: 0 },
        available: { nano_usd: 0 }
      })
    }
  )

  it("that stream: ten pass, the others get 402", async () => {
    const answers = await parallel(200, () => world.ask({ key: "streams", family: "messages", body: { stream: true } }))
    expect(answers.filter(({ text }) => text.includes("message_stop"))).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(190)
    const after = await until(
      () => world.account("streams"),
      ({ usage }) => usage.length === 10
    )
    expect(after.settled).toBe(10 * dollar)
  })
})

describe("a task that fails", () => {
  it("gives its hold back", async () => {
    const prompt = (text: string) => ({ content: [{ type: "text", text }] })
    const made = await world.ask({
      key: "limited",
      family: "videos",
      body: prompt("A cat that fails")
    })
    expect(made.status).toBe(200)
    const { usage } = await until(
      () => world.account("limited"),
      ({ held }) => held === 0
    )
    expect(usage).toEqual([])
  })

  it("that is cancelled gives it back too", async () => {
    const body = { content: [{ type: "text", text: "A cat that waits" }] }
    const { json } = await world.ask({ key: "limited", family: "videos", body })
    expect(world.account("limited").held).toBe(dollar)
    await until(
      async () => (await world.call(`${families.videos.path}/${json.id}`, "limited", { method: "DELETE" })).status,
      (status) => status === 200
    )
    expect(world.account("limited")).toMatchObject({ held: 0, settled: 0, usage: [] })
  })
})
