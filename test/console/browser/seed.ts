import type { GatewayHere } from "../../gatewayHere.ts"
import { adminKey } from "./browser.ts"
import { request } from "../../request.ts"

type Json = Readonly<Record<string, unknown>>

/** Calls of a gateway, as an operator and as a client. */
export const calls = (gateway: GatewayHere) => {
  const send = async (path: string, body: Json, key: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await request(gateway, path, { body, key, headers })
    return answer.text()
  }
  const admin = async (path: string, body: Json = {}) => JSON.parse(await send(`/admin/v1${path}`, body, adminKey))
  const ask = (
    text: string,
    { key = gateway.key, ...more }: { readonly key?: string; readonly model?: string; readonly stream?: boolean } = {}
  ) =>
    send("/v1/messages", { model: "sandbox-text", max_tokens: 200, messages: text, ...more }, key, {
      "x-gateway-tags": "prod",
      "user-agent": "OpenAI/Python 2.8.1"
    })
  const video = async (text: string, more: Json = {}, key = gateway.key): Promise<string> =>
    JSON.parse(
      await send(
        "/api/v3/contents/generations/tasks",
        {
          model: "sandbox-video",
          resolution: "480p",
          ...("duration" in more ? {} : { frames: 29 }),
          content: [{ type: "text", text }],
          ...more
        },
        key
      )
    ).id
  return { admin, ask, send, video }
}

/** Something of everything, so that no page is empty. */
export const seed = async (gateway: GatewayHere): Promise<void> => {
  const { admin, ask, send, video } = calls(gateway)
  for (const [id, balance] of [
    ["support", "250"],
    ["acme-video", "600"],
    ["research", "0.5"],
    ["platform", null]
  ] as const) {
    await admin("/accounts", { id, ...(balance === null ? {} : { balance_usd: balance }) })
  }
  const keys: ReadonlyArray<Json> = [
    {
      name: "support-bot",
      account: "support",
      models: ["sandbox-*"],
      limits: { requests_per_minute: 600, tokens_per_minute: 400_000 },
      budget: { usd: "120", period: "month" }
    },
    {
      name: "storyboards",
      account: "acme-video",
      limits: { concurrent_tasks: 10 },
      budget: { usd: "5", period: "day" }
    },
    { name: "notebook-lin", account: "research", expires_at: "2036-03-01T00:00:00Z" }
  ]
  for (const key of keys) await admin("/keys", key)
  const old = await admin("/keys", { name: "old", account: "platform" })
  await admin(`/keys/${old.key.id}/revoke`)
  const directives = [
    "",
    "[[sandbox: error=500]] ",
    "",
    "[[sandbox: error=429]] ",
    "[[sandbox: tokens=60 cut=20]] ",
    "[[sandbox: tokens=90]] "
  ]
  await Promise.all(
    Array.from({ length: 48 }, (_, at) =>
      at % 4 === 3
        ? send("/v1/responses", { model: "sandbox-text", input: `Hello ${at}`, stream: at % 8 === 3 }, gateway.key)
        : ask(`${directives[at % directives.length] ?? ""}Hello ${at}`, { stream: at % 3 === 0 })
    )
  )
  await video("A paper boat drifts across a lake")
  await video("[[sandbox: fail=OutputVideoSensitiveContentDetected]] A paper boat")
  await video("[[sandbox: queue=1h]] A paper boat")
}
