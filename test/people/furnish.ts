import type { Sample, Things } from "./operations.ts"

/** Asks with a key, and expects a 200. */
type Ask = (key: string, sample: Omit<Sample, "kind">) => Promise<ReturnType<typeof JSON.parse>>

interface MadeKey {
  readonly key: { readonly id: string; readonly account: string }
  readonly secret: string
}

/** A key's request, task with a callback, and entry of the audit log. */
export const furnish = async (ask: Ask, operatorKey: string, { key, secret }: MadeKey): Promise<Things> => {
  const asked = { model: "priced", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] }
  await ask(secret, { method: "POST", path: "/v1/messages", body: asked })
  const { id: task } = await ask(secret, {
    method: "POST",
    path: "/api/v3/contents/generations/tasks",
    body: {
      model: "sandbox-video",
      content: [{ type: "text", text: "a cat --resolution 480p --frames 29" }],
      callback_url: "http://127.0.0.1:9/callback"
    }
  })
  /** Rows are written a moment after their answers. */
  const found = async (path: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
    const { data } = await ask(operatorKey, { method: "GET", path })
    return data.length > 0 ? data : Bun.sleep(50).then(() => found(path))
  }
  const [delivery] = await found(`/admin/v1/deliveries?task=${task}`)
  const requests = await found(`/admin/v1/requests?key=${key.id}&model=priced`)
  const [entry] = await found(`/admin/v1/audit?target=${key.id}`)
  return {
    account: key.account,
    key: key.id,
    task,
    request: String(requests[0]?.["request_id"]),
    delivery: String(delivery?.["id"]),
    entry: String(entry?.["id"])
  }
}

/** Ids of nothing. */
export const nothing: Things = {
  account: "none",
  key: "key_none",
  task: "cgt-none",
  request: "req_none",
  delivery: "dlv_none",
  entry: "999999"
}
/** An error without the id that was asked for. */
export const withoutIds = (text: string) => text.replaceAll(/key_\w+|cgt-[\w-]+|req_\w+|dlv_\w+|entry \d+/g, "…")
