import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { audience, startIssuer } from "./tokenIssuer.ts"
import type { TokenIssuer } from "./tokenIssuer.ts"

const adminKey = "admin-key-of-tests-0123456789"

describeOnEach("a company's token as an API key", () => {
  let gateway: GatewayProcess
  let issuer: TokenIssuer
  const folder = mkdtempSync(join(tmpdir(), "gateway-tokens-"))
  const configure = (more: string) =>
    writeFileSync(
      join(folder, "gateway.yaml"),
      `keys: [{ name: old, secret: "chosen.by-an-operator.with-dots" }]
sign_in:
  jwt:
    - issuer: ${issuer.issuer}
      audience: ${audience}
      account: { claim: team, values: { research: team-a, sales: team-b } }
      ${more}
    - { issuer: "${issuer.issuer}", audience: machines, account: robots, subject: client_id }
    - issuer: ${issuer.issuer}
      audience: everyone
      account: { claim: groups, values: { dev: team-a, ops: team-c }, otherwise: guests }
`
    )

  beforeAll(async () => {
    issuer = await startIssuer()
    configure("limits: { requests_per_minute: 50 }")
    gateway = await startGateway({
      folder,
      env: { ...(await gatewayEnv("tokens")), GATEWAY_ADMIN_KEY: adminKey }
    })
  })
  afterAll(async () => {
    await gateway.dispose()
    await issuer.stop()
  })

  const client = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const ask = (token: string, model = "sandbox-text") =>
    client(token).chat.completions.create({ model, messages: [{ role: "user", content: "hello" }] })
  const admin = async (path: string, method = "GET", body?: object) => {
    const answer = await fetch(`${gateway.url}/admin/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, json: await answer.json() }
  }
  const keysOf = async (account: string) => (await admin(`keys?account=${account}&all=true`)).json.data
  const models = async (token: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
    const answer = await fetch(`${gateway.url}/v1/models`, { headers })
    return { status: answer.status, message: String((await answer.json()).error?.message) }
  }
  const until = async (look: () => Promise<boolean>) => {
    for (let tries = 0; tries < 200; tries++) {
      if (await look()) return
      await Bun.sleep(25)
    }
    expect.unreachable("it did not happen within five seconds")
  }

  it("opens the account of its claim, by the official client, with one key for its subject", async () => {
    const tokens = await Promise.all([1, 2, 3].map((jti) => issuer.token({ jti: String(jti) })))
    const answers = await Promise.all([...tokens, ...tokens, ...tokens, ...tokens].map((token) => ask(token)))
    expect(answers.map(({ choices }) => choices.length)).toEqual(answers.map(() => 1))
    const { host } = new URL(issuer.issuer)
    const keys = await keysOf("team-a")
    expect(keys).toMatchObject([
      { account: "team-a", name: `ann at ${host}`, hint: "", status: "active", person: null }
    ])
    await until(async () => (await keysOf("team-a"))[0].usage.total.requests === 12)
    await until(async () => (await admin(`requests?key=${keys[0].id}`)).json.data.length === 12)
    // One discovery, one set of keys: a token is not the reason for a call.
    expect(issuer.fetches).toEqual(["/.well-known/openid-configuration", "/jwks"])
  })

  it("also by x-api-key, and as another subject or in another account by another key", async () => {
    const token = await issuer.token({ sub: "bob" })
    expect((await models(token, { "x-api-key": token })).status).toBe(200)
    expect((await models(await issuer.token({ sub: "bob", team: "sales" }))).status).toBe(200)
    const names = async (account: string) =>
      (await keysOf(account)).map(({ name }: { name: string }) => name.split(" ")[0])
    expect([await names("team-a"), await names("team-b")]).toEqual([["ann", "bob"], ["bob"]])
  })

  it("names its subject by another claim, and its account by one of a list or none", async () => {
    const status = async (more: object) => (await models(await issuer.token(more))).status
    expect(await status({ aud: "machines", client_id: "batch", sub: "x" })).toBe(200)
    expect((await keysOf("robots"))[0].name).toMatch(/^batch at /)
    expect(await status({ aud: "everyone", groups: ["other", "ops"] })).toBe(200)
    expect(await status({ aud: "everyone", groups: undefined })).toBe(200)
    expect([(await keysOf("team-c")).length, (await keysOf("guests")).length]).toEqual([1, 1])
    expect(await models(await issuer.token({ aud: "everyone", groups: ["dev", "ops"] }))).toEqual({
      status: 401,
      message: 'Invalid API key: this token\'s claim "groups" stands for several accounts'
    })
  })

  it.each<[string, object, string]>([
    ["no account", { team: "finance" }, 'claim "team" stands for no account'],
    ["a value of every object", { team: "constructor" }, 'claim "team" stands for no account'],
    ["no team", { team: undefined }, 'claim "team" stands for no account'],
    ["an account's id", { team: "team-a" }, 'claim "team" stands for no account'],
    ["no subject", { sub: undefined }, 'claim "sub" is no text'],
    ["an empty subject", { sub: "" }, 'claim "sub" is no text'],
    ["a number as its subject", { sub: 7 }, 'claim "sub" is no text'],
    ["a subject of a thousand letters", { sub: "a".repeat(1_000) }, 'claim "sub" is no text']
  ])("that names %s is refused", async (_, more, message) => {
    const refusal = await models(await issuer.token(more))
    expect([refusal.status, refusal.message]).toEqual([401, expect.stringContaining(message)])
  })

  it("is named without what moves a terminal", async () => {
    expect((await models(await issuer.token({ sub: "eve\u001b[2J\n\u202e\u0000", team: "sales" }))).status).toBe(200)
    expect((await keysOf("team-b")).at(-1).name).toMatch(/^eve\uFFFD\[2J\uFFFD\uFFFD\uFFFD at /)
  })

  it("is bound by the smaller of the rule's and the key's limits, and by the key's budgets", async () => {
    const token = await issuer.token({ sub: "limited" })
    const left = async () => {
      const answer = await client(token)
        .chat.completions.create({ model: "sandbox-text", messages: [{ role: "user", content: "hello" }] })
        .withResponse()
      return answer.response.headers.get("x-ratelimit-limit-requests")
    }
    expect(await left()).toBe("50")
    const [{ id }] = (await admin("keys?search=limited")).json.data
    const set = (body: object) => admin(`keys/${id}`, "PATCH", body)
    expect((await set({ limits: { requests_per_minute: 900 } })).status).toBe(200)
    expect(await left()).toBe("50")
    await set({ limits: { requests_per_minute: 20 } })
    expect(await left()).toBe("20")
    await set({ budgets: [{ requests: 1, per: "day" }] })
    await ask(token).catch(() => undefined)
    await expect(ask(token)).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining("The daily budget of the subject of this token (1 request) is used up")
    })
    expect((await models(token)).status).toBe(200)
  })

  it("bounds the lines of its batches by its rule's limits", async () => {
    const headers = { authorization: `Bearer ${await issuer.token({ sub: "batching" })}` }
    const params = { model: "sandbox-text", max_tokens: 10, messages: [{ role: "user", content: "hello" }] }
    const requests = Array.from({ length: 200 }, (_, index) => ({ custom_id: `n${index}`, params }))
    const url = `${gateway.url}/v1/messages/batches`
    const made = await (await fetch(url, { method: "POST", headers, body: JSON.stringify({ requests }) })).json()
    await Bun.sleep(3_000)
    const task = (await admin(`tasks/${made.id}`)).json
    expect([task.kind, task.ended_at]).toEqual(["batch", null])
    await admin(`tasks/${made.id}/cancel`, "POST")
  }, 30_000)

  it("may use the models of its rule; those that its key may not use stay forbidden", async () => {
    configure('models: ["sandbox-te*"]')
    const token = await issuer.token({ sub: "modest" })
    const status = (model: string) =>
      ask(token, model).then(
        () => 200,
        ({ status }: { status: number }) => status
      )
    const listed = async () => (await client(token).models.list()).data.map(({ id }) => id)
    expect(await listed()).toContain("sandbox-video")
    gateway.signal("SIGHUP")
    // The token was verified before the reload.
    await until(async () => (await listed()).join() === "sandbox-text")
    expect(await status("sandbox-text")).toBe(200)
    expect(await status("sandbox-video")).not.toBe(200)
    const [{ id, models }] = (await admin("keys?search=modest")).json.data
    expect(models).toEqual(["sandbox-te*"])
    await admin(`keys/${id}`, "PATCH", { models: ["*"], not_models: ["sandbox-text"] })
    expect(await listed()).toEqual([])
    expect(await status("sandbox-text")).toBe(403)
  })

  it("opens nothing once an operator has revoked its key, or suspended its account", async () => {
    const [leaving, staying] = [await issuer.token({ sub: "leaving" }), await issuer.token({ sub: "staying" })]
    expect([(await models(leaving)).status, (await models(staying)).status]).toEqual([200, 200])
    const [{ id }] = (await admin("keys?search=leaving")).json.data
    expect((await admin(`keys/${id}/revoke`, "POST")).status).toBe(200)
    const refusal = { status: 401, message: "Invalid API key: this key was revoked" }
    expect(await models(leaving)).toEqual(refusal)
    expect(await models(await issuer.token({ sub: "leaving", jti: "another" }))).toEqual(refusal)
    expect((await models(staying)).status).toBe(200)
    expect((await admin("accounts/team-a/suspend", "POST")).status).toBe(200)
    expect((await models(staying)).message).toContain("its account is suspended")
    expect((await admin("accounts/team-a/resume", "POST")).status).toBe(200)
    expect((await models(staying)).status).toBe(200)
  })

  it("has a key without a secret, which can't be given one", async () => {
    const token = await issuer.token({ sub: "bare" })
    await models(token)
    const [{ id }] = (await admin("keys?search=bare")).json.data
    const rotated = await admin(`keys/${id}/rotate-secret`, "POST")
    expect([rotated.status, rotated.json.error.message]).toEqual([409, expect.stringContaining("has no secret")])
    expect((await models(token)).status).toBe(200)
  })

  it("opens no session of the console, also when it was just used", async () => {
    const token = await issuer.token({ sub: "visitor" }, { alg: "ES256", kid: "two" }, issuer.second.privateKey)
    const signIn = async (key: string) =>
      (await fetch(`${gateway.url}/console/session`, { method: "POST", body: JSON.stringify({ key }) })).status
    expect((await models(token)).status).toBe(200)
    expect([await signIn(token), await signIn(gateway.key)]).toEqual([401, 200])
  })

  it("is no reason to refuse a key with dots", async () => {
    expect((await models("chosen.by-an-operator.with-dots")).status).toBe(200)
    expect((await models("no.key.at-all")).message).toBe("Invalid API key: unknown key")
    expect((await models(gateway.key)).status).toBe(200)
  })
})
