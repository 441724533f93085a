import { SqlClient } from "@effect/sql"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ApiKey from "../../src/access/ApiKey.ts"
import { Regex } from "../../src/regex/Regex.ts"
import { margin, redactText } from "../../src/requests/redact.ts"
import { BodyStore } from "../../src/requests/store/BodyStore.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { connect } from "../responses/socket/connect.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const adminKey = "admin-key-0123456789abcdefghijklmnop"

interface Shown {
  readonly bodies: { readonly request: string; readonly answer: string; readonly is_cut: boolean } | null
}

describe("bodies", () => {
  let gateway: GatewayHere

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-bodies-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        keys: ["open", "closed"].map((name) => ({ name, secret: secretOf(name), account: name })),
        accounts: { open: { record: { bodies: "on", redact: ["[Pp]in \\d{4}"] } } }
      })
    )
    gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
  })
  afterAll(() => gateway.dispose())

  const ask = async (name: string, body: object) => {
    const reply = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${secretOf(name)}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sandbox-text", max_tokens: 50, ...body })
    })
    return { id: reply.headers.get("x-request-id") ?? "", text: await reply.text() }
  }
  const shown = async (path: string, secret: string): Promise<Shown | undefined> => {
    const reply = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } })
    return reply.status === 200 ? ((await reply.json()) as Shown) : undefined
  }
  const own = (name: string, id: string) => shown(`/v1/requests/${id}`, secretOf(name))

  it("are kept without what a request entrusts to its tools and servers, however short it is", async () => {
    const mcp_servers = [
      { type: "url", name: "crm", url: "https://crm.example.com/x?k=1", authorization_token: "short" }
    ]
    const { id } = await ask("open", { messages: "Hello", mcp_servers })
    await expect.poll(async () => (await own("open", id))?.bodies ?? undefined).toBeDefined()
    const found = JSON.parse((await own("open", id))?.bodies?.request ?? "")
    expect(found).toMatchObject({
      messages: "Hello",
      mcp_servers: [
        { type: "url", name: "crm", url: "https://crm.example.com/[redacted]", authorization_token: "[redacted]" }
      ]
    })
  })

  it("of an account that wants it are kept with the request, without what is redacted", async () => {
    const { id, text } = await ask("open", { messages: "My pin 1234 opens sk-abcdefghij0123456789." })
    await expect.poll(async () => (await own("open", id))?.bodies ?? undefined).toBeDefined()
    const found = (await own("open", id))?.bodies
    expect(found?.request).toContain("My [redacted] opens [redacted].")
    expect(found?.request).not.toContain("1234")
    expect(JSON.parse(found?.answer ?? "")).toMatchObject({ type: "message", role: "assistant" })
    expect(found?.answer.length).toBeGreaterThan(0)
    expect(text).toContain("message")
    expect((await shown(`/admin/v1/requests/${id}`, adminKey))?.bodies).toEqual(found)
    // Private.
    expect(await own("closed", id)).toBeUndefined()
  })

  it("of streams are kept as the events that left, which leave as they do without it", async () => {
    const { id, text } = await ask("open", { stream: true, messages: "Hello" })
    expect(text).toContain("message_stop")
    await expect.poll(async () => (await own("open", id))?.bodies ?? undefined).toBeDefined()
    expect((await own("open", id))?.bodies?.answer).toBe(text)
  })

  it("of messages of a socket are kept as those of requests are", async () => {
    const { answer, send, ws } = await connect(gateway.url, secretOf("open"))
    send({ input: "My pin 1234." })
    const last = (await answer()).at(-1)
    expect(last).toMatchObject({ type: "response.completed" })
    ws.close()
    await expect
      .poll(async () => {
        const list = await fetch(`${gateway.url}/admin/v1/requests`, {
          headers: { authorization: `Bearer ${adminKey}` }
        })
        const { data } = (await list.json()) as {
          readonly data: ReadonlyArray<{ request_id: string; endpoint: string }>
        }
        const id = data.find(({ endpoint }) => endpoint === "/v1/responses")?.request_id
        return id === undefined ? undefined : (await own("open", id))?.bodies?.request
      })
      .toBe('{"model":"sandbox-text","input":"My [redacted].","stream":true}')
  })

  it("that are long are cut, and say so", async () => {
    const { id } = await ask("open", { messages: "word ".repeat(20_000) })
    await expect.poll(async () => (await own("open", id))?.bodies?.is_cut).toBe(true)
    expect((await own("open", id))?.bodies?.request.length).toBe(64 * 1024)
  })

  it("of all others are not", async () => {
    const { id } = await ask("closed", { messages: "Hello" })
    await expect.poll(() => own("closed", id)).toBeDefined()
    expect((await own("closed", id))?.bodies).toBeNull()
  })
})

describe("what is redacted", () => {
  it("is what signs a link, and who opens it", async () => {
    const { text } = await redactText(
      {
        text: '{"url":"https://b.example.com/a.png?X-Amz-Date=1&X-Amz-Signature=abc&sig=def","to":"http://me:word@b/c?page=2"}',
        isCut: false
      },
      65_536,
      []
    )
    expect(JSON.parse(text)).toEqual({
      url: "https://b.example.com/a.png?X-Amz-Date=1&X-Amz-Signature=[redacted]&sig=[redacted]",
      to: "http://[redacted]@b/c?page=2"
    })
  })

  it("is what was entrusted to tools, also in words that repeat it", async () => {
    const { text } = await redactText(
      { text: '{"said":"no planted-token"}', isCut: false },
      65_536,
      [],
      ["planted-token"]
    )
    expect(text).toBe('{"said":"no [redacted]"}')
  })

  const left = async (text: string, ...patterns: ReadonlyArray<string>) =>
    (await redactText({ text, isCut: false }, 65_536, patterns.map(Regex.of))).text

  it("are secrets and files, always", async () => {
    const file = `"data:image/png;base64,${"A".repeat(300)}"`
    expect(await left(`{"url":${file},"auth":"Bearer abcdefghijklmnopqrst"}`)).toBe(
      `{"url":"data:image/png;base64,[redacted]","auth":"Bearer [redacted]"}`
    )
  })

  it("are keys of this gateway and tokens that stand for one, always", async () => {
    const token = [{ alg: "RS256" }, { iss: "https://login.corp.test" }, "signature"]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".")
    const secrets = [ApiKey.generate(), ApiKey.generateToken("access"), ApiKey.generateToken("refresh"), token]
    for (const secret of secrets) {
      expect(await left(JSON.stringify({ text: `TOKEN=${secret}\n${secret}`, secret }))).toBe(
        JSON.stringify({ text: "TOKEN=[redacted]\n[redacted]", secret: "[redacted]" })
      )
    }
    expect(await left("gw_short eyJustaword.eyJ gwx_")).toBe("gw_short eyJustaword.eyJ gwx_")
  })

  it("are secrets on lines of their own, whose line ends are letters in JSON", async () => {
    const text = JSON.stringify(
      "mine:\nsk-abcdefghij0123456789\n\tBearer abcdefghijklmnopqrst\r\nghp_abcdefghij0123456789"
    )
    expect(await left(text)).toBe(JSON.stringify("mine:\n[redacted]\n\tBearer [redacted]\r\n[redacted]"))
  })

  it("is never nothing, however often a pattern matches that", async () => {
    expect(await left("a xx b", "x*", "(?:)", "$")).toBe("a [redacted] b")
  })

  it("is what a string of JSON says, however it is written", async () => {
    expect(await left(String.raw`{"a":"secret\u002dx","\u0073ecret-y":1}`, "secret-\\w")).toBe(
      '{"a":"[redacted]","[redacted]":1}'
    )
    expect(await left(String.raw`{"a":"sk\u002dabcdefghij0123456789"}`)).toBe('{"a":"[redacted]"}')
  })

  it("is what JSON within JSON says, such as the arguments of a tool", async () => {
    const within = String.raw`{"token":"secret\u002dx","n":1}`
    expect(await left(JSON.stringify({ arguments: within }), "secret-\\w")).toBe(
      JSON.stringify({ arguments: '{"token":"[redacted]","n":1}' })
    )
  })

  it("is what events of a stream say, and what is no JSON", async () => {
    const event = String.raw`event: delta${"\n"}data: {"text":"secret\u002dx"}${"\n\n"}`
    expect(await left(`: "odd\n${event}`, "secret-\\w")).toBe(`: "odd\nevent: delta\ndata: {"text":"[redacted]"}\n\n`)
    expect(await left("plain secret-x", "secret-\\w")).toBe("plain [redacted]")
  })

  it("is in a string that is cut, also within an escape", async () => {
    for (const end of ["", "\\", "\\u", "\\u00", "\\u002"]) {
      const cut = String.raw`{"a":"secret\u002dx and more` + end
      expect(await left(cut, "secret-\\w")).toBe('{"a":"[redacted] and more')
    }
  })

  it("leaves the rest as it was written", async () => {
    const text = String.raw`{ "a": "caf\u00e9\/", "b" : [1.50, "\ud800"] }`
    expect(await left(text, "nothing of it")).toBe(text)
  })

  it("is all of a body on which a pattern takes too many steps", async () => {
    const body = "a".repeat(60_000)
    expect(await redactText({ text: body, isCut: false }, 65_536, [Regex.of("a(.*b)?")])).toEqual({
      text: "[redacted]",
      isCut: true
    })
  })

  it("grows no further than what is kept, whatever the patterns make of each other's marks", async () => {
    const { isCut, text } = await redactText(
      { text: "a".repeat(60_000), isCut: false },
      65_536,
      Array(8).fill(Regex.of("[a-z]"))
    )
    expect({ isCut, length: text.length }).toEqual({ isCut: true, length: 65_536 })
  })

  it("are secrets and files that the end of what is kept cuts in two", async () => {
    const secret = "sk-abcdefghij0123456789"
    const cut = async (text: string) =>
      (await redactText({ text: text.slice(0, 100 + margin), isCut: true }, 100, [])).text
    // As much shorter as the redaction made it.
    expect(await cut(`${"word ".repeat(16)}${secret} ${"word ".repeat(2_000)}`)).toBe(`${"word ".repeat(16)}[redact`)
    const file = `;base64,${"A".repeat(margin + 80)}`
    expect(await cut(`${file} 1 ${secret}${"word ".repeat(2_000)}`)).not.toContain("sk-")
    expect(await cut(`{"data":"${"A".repeat(9_000)}"}`)).toBe('{"data":"[redacted]')
  })
})

const world = BodyStore.Default.pipe(Layer.provideMerge(database()))

describeOnEach("rows of bodies", () => {
  it.effect("are removed when their time is over, a few at a time", () =>
    Effect.gen(function* () {
      const store = yield* BodyStore
      const row = { account_id: "a", request: "{}", answer: "", is_cut: 0 }
      for (const at of [1, 2, 3, 10]) yield* store.write({ ...row, request_id: `r${at}`, at })
      expect(yield* store.removeOld(5, 2)).toBe(2)
      expect(yield* store.removeOld(5, 2)).toBe(1)
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT request_id FROM request_bodies`).toEqual([{ request_id: "r10" }])
      expect(yield* store.find("r10")).toEqual({ request: "{}", answer: "", is_cut: false })
    }).pipe(Effect.provide(world))
  )

  it.effect("are not written any more of an account that was deleted while an answer ran", () =>
    Effect.gen(function* () {
      const store = yield* BodyStore
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO accounts (id, created_at, deleted_at) VALUES ('there', 1, NULL), ('gone', 1, 2)`
      const row = { request: "{}", answer: "", is_cut: 1, at: 3 }
      for (const account_id of ["there", "gone"]) yield* store.write({ ...row, account_id, request_id: account_id })
      expect(yield* sql`SELECT request_id FROM request_bodies`).toEqual([{ request_id: "there" }])
      expect(yield* store.find("there")).toEqual({ request: "{}", answer: "", is_cut: true })
    }).pipe(Effect.provide(world))
  )
})
