import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { storeFile } from "../storedFiles/storeFile.ts"
import { database, describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { batchKind } from "./batchKind.ts"
import { completionKind } from "./completionKind.ts"
import { conversationKind } from "./conversationKind.ts"
import type { Sent } from "./conversationKind.ts"
import type { Json } from "./keepingUpstreams.ts"
import { calling, fileOf, responseWith, running } from "./keepingUpstreams.ts"
import { statementsOn } from "./statementsOn.ts"

const secretOf = (name: string) => `${name}-key-0123456789abcdefghijklmn`
const [ann, annsOther, ben, shared] = [secretOf("ann"), secretOf("anns-other"), secretOf("ben"), secretOf("shared")]

describeOnEach("what people make with their keys", (engine) => {
  let gateway: GatewayHere
  let made = 0
  const fakes = {
    responses: fakeUpstream("openai-responses", { strict: false, answer: (asked) => responseWith(asked) }),
    chat: fakeUpstream("openai-chat", { strict: false, answer: ({ body }) => calling(body) })
  }

  const send = async (
    key: string,
    path: string,
    { body, headers, method = body === undefined ? "GET" : "POST" }: Sent
  ) => {
    const answer = await fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const ask = async (key: string, path: string, sent: Sent): Promise<Json> => {
    const { status, text } = await send(key, path, sent)
    expect([status, text]).toEqual([200, text])
    return JSON.parse(text)
  }
  const say = (content: string, more: object = {}) => ({
    model: "sandbox-text",
    max_tokens: 20,
    messages: [{ role: "user", content }],
    ...more
  })
  const call = { id: "call-1", type: "function", function: { name: "f", arguments: "{}" } }
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }]
  const threaded = { headers: { "anthropic-beta": "message-threads-2026-08-12" } }

  /** What a key makes, by a text that tells it from others, and by which statuses it answers a key of others. */
  interface Kind {
    /** @returns its id */
    readonly make: (key: string) => Promise<string>
    /** The statuses, or what comes in their place, of all ways to it. */
    readonly ways: (key: string, id: string) => Promise<ReadonlyArray<number>>
    /** Each person chooses its names, and so do the keys of the account: none reaches another's. */
    readonly isNamed?: true
  }
  const status = async (...calls: ReadonlyArray<ReturnType<typeof send>>) =>
    (await Promise.all(calls)).map(({ status }) => status)

  /** By the table that holds it. */
  const kinds: Record<string, Kind> = {
    conversations: conversationKind(ask, send),
    responses: {
      make: async (key) => (await ask(key, "/v1/responses", { body: { model: "sandbox-text", input: "Hi" } })).id,
      ways: async (key, id) => {
        const one = `/v1/responses/${id}`
        const body = { model: "sandbox-text", input: "And?", previous_response_id: id }
        const refused = await status(
          send(key, "/v1/responses", { body }),
          send(key, "/v1/responses", { body: { ...body, background: true } }),
          send(key, "/v1/responses/input_tokens", { body }),
          send(key, "/v1/responses/compact", { body })
        )
        return [
          ...(await status(
            send(key, one, {}),
            send(key, `${one}?stream=true`, {}),
            send(key, `${one}/input_items`, {})
          )),
          // OpenAI answers a 400.
          ...refused.map((one) => (one === 400 ? 404 : one))
        ]
      }
    },
    chat_completions: completionKind(ask, send),
    response_items: {
      make: async (key) => {
        const { output } = await ask(key, "/v1/responses", { body: { model: "keeping", input: `give:${++made}` } })
        return output[0].id
      },
      ways: (key, id) =>
        status(send(key, "/v1/responses", { body: { model: "keeping", input: [{ type: "item_reference", id }] } }))
    },
    thread_turns: {
      make: async (key) =>
        (await ask(key, "/v1/messages?beta=true", { ...threaded, body: say("Hi", { thread: { type: "create" } }) })).id,
      ways: async (key, id) => {
        const body = say("And?", { thread: { type: "continue", previous_message_id: id } })
        const continued = await status(send(key, "/v1/messages?beta=true", { ...threaded, body }))
        // An answer is continued once.
        return continued.map((one) => (one === 400 ? 200 : one))
      }
    },
    upstream_ids: {
      make: async (key) => {
        const id = `cntr_${++made}`
        await ask(key, "/v1/responses", { body: { ...running("auto"), input: `give:${made}` } })
        return id
      },
      ways: (key, id) =>
        status(
          send(key, "/v1/responses", { body: running(id) }),
          send(key, "/v1/responses", { body: { ...running("auto"), input: [fileOf(`file_${id}`)] } })
        )
    },
    reasoning_seals: {
      isNamed: true,
      make: async (key) => {
        const body = { model: "reasoning", messages: [{ role: "user", content: "Hi" }], tools }
        const { choices } = await ask(key, "/v1/chat/completions", { body })
        expect(choices[0].message.tool_calls).toEqual([call])
        return call.id
      },
      ways: async (key) => {
        const messages = [
          { role: "user", content: "Hi" },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: call.id, content: "1" }
        ]
        await ask(key, "/v1/chat/completions", { body: { model: "reasoning", messages, tools } })
        const asked: Json = fakes.chat.asked.at(-1)?.body
        return [asked.messages[1].reasoning_details === undefined ? 404 : 200]
      }
    },
    tasks: {
      make: async (key) => (await ask(key, "/v1/messages", { body: say("Hi", { async: true }) })).id,
      ways: (key, id) => status(send(key, `/v1/tasks/${id}`, {}))
    },
    stored_files: {
      make: (key) => storeFile(gateway.url, key),
      ways: (key, id) => status(send(key, `/v1/files/${id}`, {}), send(key, `/v1/files/${id}/content`, {}))
    },
    batches: batchKind(ask, send),
    deliveries: {
      make: async (key) => {
        const content = [{ type: "text", text: "a cat --resolution 480p --frames 29" }]
        const body = { model: "sandbox-video", content, callback_url: "http://127.0.0.1:9/" }
        return (await ask(key, "/api/v3/contents/generations/tasks", { body })).id
      },
      ways: (key, id) => status(send(key, `/api/v3/contents/generations/tasks/${id}/deliveries`, {}))
    },
    requests: {
      make: async (key) => {
        const id = (await send(key, "/v1/messages", { body: say("Hi") })).headers.get("x-request-id") ?? ""
        await expect.poll(async () => (await send(key, `/v1/requests/${id}`, {})).status).toBe(200)
        return id
      },
      ways: (key, id) => status(send(key, `/v1/requests/${id}`, {}))
    },
    kept_answers: {
      isNamed: true,
      make: async (key) => {
        const id = `idempotency-${++made}`
        await send(key, "/v1/messages", { body: say(id), headers: { "idempotency-key": id } })
        return id
      },
      ways: async (key, id) => {
        const { headers } = await send(key, "/v1/messages", { body: say(id), headers: { "idempotency-key": id } })
        return [headers.get("idempotent-replayed") === "true" ? 200 : 404]
      }
    }
  }
  /** Tables whose rows are found by a row of another kind alone. */
  const parts: Record<string, keyof typeof kinds> = {
    conversation_items: "conversations",
    custody: "tasks",
    idempotency_claims: "kept_answers",
    removed_submits: "tasks",
    request_bodies: "requests",
    batch_lines: "batches",
    response_events: "responses",
    response_inputs: "responses",
    sandbox_orders: "tasks",
    stored_file_parts: "stored_files",
    task_calls: "tasks",
    task_cancellations: "tasks",
    task_requests: "tasks",
    tool_calls: "requests",
    tool_rounds: "kept_answers"
  }
  /** Tables that hold nothing that a key makes: settings, sums, sign-ins, and what processes share. */
  const others =
    "price_gaps access_version accounts alerts audit budget_counters configurations device_grants grants holds key_budgets " +
    "key_spending keys mcp_clients mcp_grants migrations node_batches node_budgets node_holds nodes people person_tokens price_list " +
    "provider_tokens request_days request_hours sessions sign_ins sqlite_sequence stored_file_sums upkeep usage usage_days usage_hours usage_unsummed"

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-belongings-"))
    const upstreams = {
      keeping: { protocol: "openai-responses", base_url: `${fakes.responses.url}/v1` },
      reasoning: { protocol: "openai-chat", base_url: `${fakes.chat.url}/v1`, provider: "openrouter" }
    }
    const models = {
      keeping: { routes: [{ upstream: "keeping", model: "gpt-5.1" }] },
      reasoning: { routes: [{ upstream: "reasoning", model: "anthropic/claude" }] }
    }
    const account = "team"
    const keys = ["ann", "anns-other", "ben", "shared"].map((name) => ({ name, secret: secretOf(name), account }))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models, keys }))
    const env = { ...(await gatewayEnv("belongings")), GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }
    gateway = await startGateway({ folder, env })
    const { GATEWAY_DATABASE_URL: url = join(folder, "data/gateway.db") }: Record<string, string> = env
    const person = (name: string, keys: string) => [
      `INSERT INTO people (id, issuer, subject, email, name, groups, role, accounts, bodies, seen_at, checked_at)
        VALUES ('person_${name}', 'i', '${name}', '', '', '[]', 'member', '["team"]', 0, 0, 0)`,
      `UPDATE keys SET person_id = 'person_${name}' WHERE name IN (${keys})`
    ]
    await statementsOn(engine, url, [...person("ann", "'ann', 'anns-other'"), ...person("ben", "'ben'")])
  })
  afterAll(async () => {
    await gateway.dispose()
    await Promise.all(Object.values(fakes).map((fake) => fake.stop()))
  })

  it("has a row here for each table", async () => {
    const names = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.onDialectOrElse({
        pg: () => sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
        orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
      })
    )
    const found = await Effect.runPromise(Effect.provide(names, database()))
    const known = new Set([...Object.keys(kinds), ...Object.keys(parts), ...others.split(" ")])
    expect(found.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
  })

  it.each(Object.keys(kinds))("%s are theirs, and their account's keys reach them", async (name) => {
    const kind = kinds[name]
    if (kind === undefined) throw new Error(name)
    const reaches = async (key: string, id: string) => {
      const found = new Set(await kind.ways(key, id))
      expect([name, found.size]).toEqual([name, 1])
      const [only] = found
      expect([200, 404]).toContain(only)
      return only === 200
    }
    const anns = await kind.make(ann)
    expect(await reaches(ben, anns)).toBe(false)
    expect(await reaches(annsOther, anns)).toBe(true)
    expect(await reaches(shared, anns)).toBe(kind.isNamed !== true)
    expect(await reaches(ann, anns)).toBe(true)
    if (name === "reasoning_seals") return
    const accounts = await kind.make(shared)
    expect(await reaches(ann, accounts)).toBe(false)
    expect(await reaches(shared, accounts)).toBe(true)
  })

  it("a response is neither cancelled nor removed by others", async () => {
    const { id } = await ask(ann, "/v1/responses", { body: { model: "sandbox-text", input: "Hi", background: true } })
    const one = `/v1/responses/${id}`
    expect(await status(send(ben, `${one}/cancel`, { method: "POST" }), send(ben, one, { method: "DELETE" }))).toEqual([
      404, 404
    ])
    expect((await send(annsOther, one, { method: "DELETE" })).status).toBe(200)
  })

  it("a thread that another continues is unknown, before and while it is", async () => {
    const { id } = await ask(ann, "/v1/messages?beta=true", {
      ...threaded,
      body: say("Hi", { thread: { type: "create" } })
    })
    const body = say("And?", { thread: { type: "continue", previous_message_id: id } })
    const [anns, ...bens] = await status(
      ...[ann, ben, ben].map((key) => send(key, "/v1/messages?beta=true", { ...threaded, body }))
    )
    expect([anns, bens]).toEqual([200, [404, 404]])
  })

  it("what an upstream had before is the account's, whoever names or cites it first", async () => {
    const named = { body: { ...running("auto"), input: [fileOf("file_of_operator")] } }
    const cited = {
      body: { model: "keeping", input: "cite:file_in_store", tools: [{ type: "code_interpreter", container: "auto" }] }
    }
    for (const body of [named, cited]) await ask(ann, "/v1/responses", body)
    await ask(ben, "/v1/responses", named)
    await ask(ben, "/v1/responses", { body: { ...running("auto"), input: [fileOf("file_in_store")] } })
  })
})
