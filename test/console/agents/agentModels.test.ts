import { afterAll, beforeAll, expect, it } from "vitest"
import { startWorld } from "../../people/programs/world.ts"

let world: Awaited<ReturnType<typeof startWorld>>

beforeAll(async () => {
  world = await startWorld({ name: "sqlite" }, "agent_models")
})
afterAll(() => world.stop())

const settingsOf = (token: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${world.gateway.url}/managed/settings`, { headers: { authorization: `Bearer ${token}`, ...headers } })

it("tells Claude Code the models that its person may use, beside the operator's settings, with an ETag of all", async () => {
  const { access_token } = await world.letIn("ann")
  const first = await settingsOf(access_token)
  const all = await first.json()
  expect(all.settings).toMatchObject({
    permissions: { deny: ["WebFetch"] },
    env: { ANTHROPIC_DEFAULT_OPUS_MODEL: "sandbox-text", ANTHROPIC_DEFAULT_HAIKU_MODEL: "sandbox-text" }
  })
  const etag = first.headers.get("etag") ?? ""
  expect((await settingsOf(access_token, { "if-none-match": etag })).status).toBe(304)
  expect(await world.messages(access_token, all.settings.env.ANTHROPIC_DEFAULT_HAIKU_MODEL)).toMatchObject({
    status: 200
  })
  await world.changeKey(await world.keyOf("ann"), { models: ["priced"] })
  const other = await settingsOf(access_token, { "if-none-match": etag })
  expect([other.status, (await other.json()).settings.env.ANTHROPIC_DEFAULT_OPUS_MODEL]).toEqual([200, "priced"])
})
