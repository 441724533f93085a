import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { dollar, startWorld, until } from "./world.ts"
import type { Ask, World } from "./world.ts"

/** `HANGUPS=10000` is the whole promise; here a part of it. */
const total = Number(process.env["HANGUPS"] ?? 400)

let world: World
beforeAll(async () => {
  world = await startWorld(["leaver"], { balanceUsd: total * 10 })
})
afterAll(() => world.dispose())

const asks: ReadonlyArray<Ask> = [
  { key: "leaver", family: "messages" },
  { key: "leaver", family: "messages", body: { stream: true } },
  { key: "leaver", family: "responses", body: { store: false } },
  { key: "leaver", family: "responses", body: { stream: true } }
]

describe("clients that hang up at random moments", () => {
  it(
    `leave a usage row each, ${total} times, and no hold`,
    async () => {
      // The vocabulary that counts what was produced is read at its first use.
      await world.ask(asks[0]!)
      let next = 0
      const client = async () => {
        while (next < total) {
          const ask = asks[next++ % asks.length]!
          const leaving = new AbortController()
          const timer = setTimeout(() => leaving.abort(), Math.random() * 250)
          await world.ask({ ...ask, signal: leaving.signal }).catch(() => undefined)
          clearTimeout(timer)
        }
      }
      await Promise.all(Array.from({ length: 16 }, client))
      await until(
        async () => {
          const balance = (await (await world.call("/v1/balance", "leaver")).json()) as { held: { nano_usd: number } }
          return balance.held.nano_usd
        },
        (held) => held === 0
      )
      // One that left before its request was read whole has used nothing and never was one.
      const reached = () => new Set(requestIds(world.gateway().output()))
      // Both are written a moment later.
      const difference = () =>
        reached().symmetricDifference(new Set(world.account("leaver").usage.map((row) => row.request_id)))
      await until(
        () => [...difference()],
        (ids) => ids.length === 0
      )
      const { settled, usage } = world.account("leaver")
      const rows = usage.map((row) => row.request_id)
      expect(new Set(rows).size).toBe(rows.length)
      expect(rows.length).toBeGreaterThan(total * 0.8)
      const left = usage.filter(({ outcome }) => outcome === "hang-up")
      expect(left.length).toBeGreaterThan(total / 20)
      // What was not delivered is not paid for; what was, is.
      expect(usage.filter(({ outcome }) => outcome === "finished").every(({ cost }) => cost === dollar)).toBe(true)
      expect(settled).toBe(usage.reduce((sum, { cost }) => sum + cost, 0))
    },
    60_000 + total * 60
  )
})

/** The requests that the gateway's own log tells of. */
const requestIds = (log: string) =>
  log
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes('"POST"'))
    .map((line) => (JSON.parse(line) as { requestId: string }).requestId)
