import { expect, it } from "@effect/vitest"
import type { App } from "../../console/app.ts"
import { requestFilter } from "../../console/requestFilter.ts"
import { requestSource } from "../../console/requestSource.ts"

const now = Date.now()

/** A gateway with more requests than a page looks through, every tenth of which has both tags. */
const many = () => {
  const asked: Array<URLSearchParams> = []
  const client = {
    json: async (path: string) => {
      const query = new URLSearchParams(path.slice(path.indexOf("?")))
      asked.push(query)
      const after = Number(query.get("after") ?? "0")
      const limit = Number(query.get("limit"))
      const data = Array.from({ length: limit }, (_, at) => ({
        request_id: `req_${after + at}`,
        time: new Date(now - 60_000 - after - at).toISOString(),
        family: "messages",
        tags: (after + at) % 10 === 0 ? ["a", "b"] : ["a"],
        duration_ms: 1,
        status: 200,
        error: null
      }))
      return { data, next: String(after + limit) }
    }
  }
  return { asked, app: { client, session: { kind: "operator" } } as unknown as App }
}

it("what the gateway can't look for is looked for in so many of the newest rows, which is said", async () => {
  const { app, asked } = many()
  const source = requestSource(app, requestFilter(new URLSearchParams("range=24h&q=tag:a tag:b"), now), new Map())
  expect(source.isAll).toBe(false)
  expect(await source.count()).toBe(false)
  await source.more(5_000)
  expect([source.scanned(), source.rows().length, source.isDone()]).toEqual([20_000, 2_000, false])
  expect(source.isCounted()).toBe(false)
  expect(asked.every((query) => query.get("tag") === "a")).toBe(true)
})

it("what it can is asked for, and taken as it comes", async () => {
  const { app, asked } = many()
  const source = requestSource(app, requestFilter(new URLSearchParams("range=24h&q=tag:b word"), now), new Map())
  expect(source.isAll).toBe(true)
  await source.more(50, 100)
  expect(source.rows()).toHaveLength(100)
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ tag: "b", search: "word", limit: "100" })
})
