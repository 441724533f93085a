import { expect, it } from "@effect/vitest"
import type { App } from "../../console/app.ts"
import { requestFilter } from "../../console/requestFilter.ts"
import { requestSource } from "../../console/requestSource.ts"

const now = Date.now()

/** A gateway with more requests than a page looks through, every tenth of which has both tags. */
const many = () => {
  const asked: Array<Record<string, string | number>> = []
  const listRequests = async ({ urlParams }: { readonly urlParams: Record<string, string | number> }) => {
    const { after = "0", limit } = urlParams
    asked.push(urlParams)
    const begin = Number(after)
    const data = Array.from({ length: Number(limit) }, (_, at) => ({
      request_id: `req_${begin + at}`,
      time: new Date(now - 60_000 - begin - at).toISOString(),
      family: "messages",
      tags: (begin + at) % 10 === 0 ? ["a", "b"] : ["a"],
      duration_ms: 1,
      status: 200,
      error: null
    }))
    return { data, next: String(begin + Number(limit)) }
  }
  const client = { admin: (use: (client: object) => unknown) => use({ adminOperations: { listRequests } }) }
  return { asked, app: { client, session: { kind: "operator" } } as unknown as App }
}

it("what the gateway can't look for is looked for in so many of the newest rows, which is said", async () => {
  const { app, asked } = many()
  const source = requestSource(app, requestFilter(new URLSearchParams("range=24h&q=tag:a tag:b"), now))
  expect(source.isAll).toBe(false)
  expect(await source.count()).toBe(false)
  await source.more(5_000)
  expect([source.scanned(), source.rows().length, source.isDone()]).toEqual([20_000, 2_000, false])
  expect(source.isCounted()).toBe(false)
  expect(asked.every((query) => query["tag"] === "a")).toBe(true)
})

it("what it can is asked for, and taken as it comes", async () => {
  const { app, asked } = many()
  const source = requestSource(app, requestFilter(new URLSearchParams("range=24h&q=tag:b word"), now))
  expect(source.isAll).toBe(true)
  await source.more(50, 100)
  expect(source.rows()).toHaveLength(100)
  expect(asked[0]).toMatchObject({ tag: "b", search: "word", limit: 100 })
})

it("each page is asked for once, however often more rows are wanted meanwhile", async () => {
  const { app, asked } = many()
  const source = requestSource(app, requestFilter(new URLSearchParams("range=24h"), now))
  expect(await Promise.all([source.more(500), source.more(500), source.more(500)])).toEqual([true, false, false])
  expect(await source.more(500)).toBe(true)
  expect(asked.map(({ after }) => after)).toEqual([undefined, "500"])
  expect(source.rows()).toHaveLength(1_000)
})

it("after a failure the same page is asked for again", async () => {
  const { app, asked } = many()
  const admin = app.client.admin
  let isDown = true
  app.client.admin = (use) => (isDown ? Promise.reject(new Error("no answer")) : admin(use))
  const source = requestSource(app, requestFilter(new URLSearchParams("range=24h"), now))
  await expect(source.more(500)).rejects.toThrow("no answer")
  isDown = false
  expect(await source.more(500)).toBe(true)
  expect(asked.map(({ after }) => after)).toEqual([undefined])
})
