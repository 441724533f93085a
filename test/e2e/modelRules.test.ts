import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { adminKey } from "./adminClient.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const chat = fakeUpstream("openai-chat")
let gateway: GatewayHere

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-rules-"))
  const key = (name: string, more: object = {}) => ({ name, secret: secretOf(name), ...more })
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: { chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` } },
      models: { "gpt-a": "chat", "gpt-b": "chat", "qwen-a": "chat", fast: { alias: "gpt-a" }, "vendor/*": "chat" },
      keys: [
        key("all"),
        key("not-a", { not_models: ["gpt-a"] }),
        key("not-fast", { not_models: ["fast"] }),
        key("gpt-but-b", { models: ["gpt-*"], not_models: ["*-b"] }),
        key("wild", { not_models: ["vendor/secret*"] }),
        key("of-team", { account: "team" })
      ],
      accounts: { team: { models: ["gpt-*", "qwen-*"], not_models: ["gpt-b"] } }
    })
  )
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await chat.stop()
})

const ask = (key: string, model: string) =>
  request(gateway, "/v1/chat/completions", { key, body: { model, messages: [{ role: "user", content: "hi" }] } })

const listed = async (key: string) => {
  const { data } = (await (await request(gateway, "/v1/models", { key })).json()) as { data: Array<{ id: string }> }
  return data.map(({ id }) => id).filter((id) => !id.startsWith("sandbox"))
}

/** The models that a key may use, as requests and the list say. */
const usable = async (key: string) => {
  const names = ["gpt-a", "gpt-b", "qwen-a", "fast"]
  const statuses = await Promise.all(names.map(async (name) => (await ask(key, name)).status))
  const answered = names.filter((_, index) => statuses[index] === 200)
  expect(statuses.filter((status) => status !== 200 && status !== 403)).toEqual([])
  expect(await listed(key)).toEqual(answered)
  return answered
}

describe("models that a key or its account may not use", () => {
  it.each([
    ["all", ["gpt-a", "gpt-b", "qwen-a", "fast"]],
    // An alias of an excluded model is excluded with it; the model of an excluded alias is not.
    ["not-a", ["gpt-b", "qwen-a"]],
    ["not-fast", ["gpt-a", "gpt-b", "qwen-a"]],
    ["gpt-but-b", ["gpt-a", "fast"]],
    ["of-team", ["gpt-a", "qwen-a", "fast"]]
  ])("are refused and not listed: %s", async (name, models) => {
    expect(await usable(secretOf(name))).toEqual(models)
  })

  it("may be some of a wildcard's", async () => {
    const statuses = ["vendor/open", "vendor/secret-1"].map(
      async (model) => (await ask(secretOf("wild"), model)).status
    )
    expect(await Promise.all(statuses)).toEqual([200, 403])
  })

  it("are refused with a sentence that tells the key's rule from its account's", async () => {
    const message = async (name: string, model: string) =>
      ((await (await ask(secretOf(name), model)).json()) as { error: { message: string } }).error.message
    expect(await message("not-a", "gpt-a")).toBe('model: this API key has no access to the model "gpt-a"')
    expect(await message("of-team", "gpt-b")).toBe('model: this account has no access to the model "gpt-b"')
  })

  it("are set by the admin API", async () => {
    const admin = async (method: string, path: string, body: object) =>
      (await request(gateway, `/admin/v1/keys${path}`, { key: adminKey, method, body })).json()
    const made = await admin("POST", "", { account: "team", name: "api", not_models: ["qwen-*"] })
    expect(made).toMatchObject({ key: { not_models: ["qwen-*"], upstreams: null, choose_route: false } })
    expect(await usable(made.secret)).toEqual(["gpt-a", "fast"])
    const changed = await admin("PATCH", `/${made.key.id}`, {
      not_models: null,
      upstreams: ["chat"],
      choose_route: true
    })
    expect(changed).toMatchObject({ not_models: [], upstreams: ["chat"], choose_route: true })
    expect(await admin("PATCH", `/${made.key.id}`, { name: "renamed" })).toMatchObject({ upstreams: ["chat"] })
    const refused = await admin("PATCH", `/${made.key.id}`, { not_models: ["!gpt-a"] })
    expect(refused.error.message).toContain("not_models: expected patterns")
    const misspelt = await admin("PATCH", `/${made.key.id}`, { not_models: ["qwne-*"] })
    expect(misspelt.unmatched_models).toEqual(["qwne-*"])
  })

  it.each(["on this machine", "by --url"])("are set by the command line %s", async (where) => {
    const remote = where === "by --url" ? ["--url", gateway.url] : []
    const run = async (...args: ReadonlyArray<string>) => {
      const done = await runCommand(gateway.folder, [...args, ...remote, "--json"], { GATEWAY_ADMIN_KEY: adminKey })
      expect(done.err).toBe("")
      return done.json<{ key: { id: string } }>()
    }
    const name = where.replaceAll(/\W/g, "")
    const flags = ["--not-model", "gpt-a,qwen-*", "--upstream", "chat", "--choose-route", "yes"]
    expect(await run("keys", "create", name, ...flags)).toMatchObject({
      key: { models: ["*"], not_models: ["gpt-a", "qwen-*"], upstreams: ["chat"], choose_route: true }
    })
    const none = ["--not-model", "none", "--upstream", "all", "--choose-route", "no"]
    expect(await run("keys", "update", name, ...none)).toMatchObject({
      not_models: [],
      upstreams: null,
      choose_route: false
    })
  })

  it("are warned about if nothing matches their pattern", () => {
    expect(gateway.output()).not.toContain("which no model matches")
  })
})
