import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../../e2e/process.ts"
import { startWorld } from "../../people/programs/world.ts"
import { opencodeTools } from "../../../src/console/agents/opencode.ts"
import { Caller } from "../../../src/contract/callers/Caller.ts"

describe("opencode's sign-in", () => {
  let world: Awaited<ReturnType<typeof startWorld>>

  beforeAll(async () => {
    world = await startWorld({ name: "sqlite" }, "opencode")
  })
  afterAll(() => world.stop())

  const get = (path: string, key?: string) =>
    fetch(world.gateway.url + path, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })

  it("says how to get a key, and names no model to strangers", async () => {
    const answer = await get("/.well-known/opencode")
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("application/json")
    ])
    expect(await answer.json()).toEqual({
      auth: { command: ["gateway", "login", "--key", world.gateway.url], env: "MODEL_GATEWAY_KEY" },
      remote_config: {
        url: `${world.gateway.url}/oauth/opencode.json`,
        headers: { authorization: "Bearer {env:MODEL_GATEWAY_KEY}" }
      }
    })
    for (const key of [undefined, "gw_wrong_key_0123456789abcdef"]) {
      const refused = await get("/oauth/opencode.json", key)
      expect([refused.status, await refused.text()]).toEqual([401, expect.not.stringContaining("sandbox")])
    }
  })

  it("brings the text models that the key may use, and the key by its variable", async () => {
    const config = async (key: string) => (await get("/oauth/opencode.json", key)).json()
    const all = await config(world.gateway.key)
    expect(Object.keys(all.provider.gateway.models)).toEqual(expect.arrayContaining(["priced", "sandbox-text"]))
    expect(Object.keys(all.provider.gateway.models)).not.toContain("sandbox-video")
    const { access_token } = await world.letIn("ann")
    await world.changeKey(await world.keyOf("ann"), { models: ["priced"] })
    const { model, provider } = await config(access_token)
    expect([model, provider.gateway]).toEqual([
      "gateway/priced",
      {
        npm: "@ai-sdk/openai-compatible",
        name: "Model Gateway",
        options: { baseURL: `${world.gateway.url}/v1`, apiKey: "{env:MODEL_GATEWAY_KEY}" },
        models: { priced: { name: "priced" } }
      }
    ])
  })

  it("names /mcp to those who may use a server that the operator has named", () => {
    const caller = Caller.unrestricted("a")
    expect(opencodeTools("https://gw", caller, ["wiki"])).toEqual({
      mcp: {
        gateway: {
          type: "remote",
          url: "https://gw/mcp",
          headers: { authorization: "Bearer {env:MODEL_GATEWAY_KEY}" }
        }
      }
    })
    expect(opencodeTools("https://gw", caller, [])).toEqual({})
    expect(opencodeTools("https://gw", { ...caller, tools: ["jira/*"] }, ["wiki"])).toEqual({})
  })

  it("is not there where nobody can sign in", async () => {
    const other = await startGateway()
    try {
      const paths = ["/.well-known/opencode", "/.well-known/oauth-authorization-server"]
      const answers = await Promise.all(paths.map((path) => fetch(other.url + path)))
      expect(answers.map(({ status }) => status)).toEqual([404, 404])
    } finally {
      await other.dispose()
    }
  })
})
