import { testKey } from "../e2e/process.ts"

const videos = "/api/v3/contents/generations/tasks"

/** What clients were told, and so may rely on. */
export interface Told {
  /** Acknowledged tasks by id; videos with their prompt. */
  readonly accepted: Map<string, { readonly kind: "video" | "message"; readonly prompt: string }>
  /** Tasks that a client asked to cancel, with any answer or none. */
  readonly askedToCancel: Set<string>
  readonly cancelled: Set<string>
  /** Those that were removed, or may have been, by one who meant to cancel them. */
  readonly gone: Set<string>
  /** Answers that no client should see: what a dead process leaves is a broken connection, nothing else. */
  readonly refused: Array<string>
}

export const newTold = (): Told => ({
  accepted: new Map(),
  askedToCancel: new Set(),
  cancelled: new Set(),
  gone: new Set(),
  refused: []
})

export const askGateway = (url: string, method: string, path: string, body?: object, headers: object = {}) =>
  fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

export const pathOf = (id: string) => (id.startsWith("cgt-") ? `${videos}/${id}` : `/v1/tasks/${id}`)

/** Creates that were not answered: asked again, with the same key and body, until they are. */
interface Unanswered {
  readonly path: string
  readonly body: object
  readonly key: string
  readonly prompt: string
}

let made = 0

/** Clients that go on whatever happens to the process. One that asks again does so with its `Idempotency-Key`. */
export const clients = (told: Told, callbackUrl: string, models: ReadonlyArray<string> = ["video"]) => {
  const unanswered: Array<Unanswered> = []

  const create = async (url: string, one: Unanswered) => {
    let reply: Response
    try {
      const headers = one.key === "" ? {} : { "idempotency-key": one.key }
      reply = await askGateway(url, "POST", one.path, one.body, headers)
      if (reply.status === 200 || reply.status === 202) {
        const { id } = (await reply.json()) as { id: string }
        told.accepted.set(id, { kind: one.path === videos ? "video" : "message", prompt: one.prompt })
        return id
      }
    } catch {
      if (one.key !== "") unanswered.push(one)
      return undefined
    }
    told.refused.push(`${reply.status} ${await reply.text().catch(() => "")}`)
    return undefined
  }

  const anew = (): Unanswered => {
    const number = `${Date.now().toString(36)}-${made++}`
    const key = Math.random() < 0.5 ? `key-${number}` : ""
    if (Math.random() < 0.3) {
      const messages = [{ role: "user", content: `[[sandbox: delay=${Math.ceil(Math.random() * 150)}ms]] ${number}` }]
      const body = { model: "text", max_tokens: 100, async: true, messages }
      return { path: "/v1/messages", body, key, prompt: "" }
    }
    const prompt = `a cat ${number}`
    const model = models[Math.floor(Math.random() * models.length)]
    const body = {
      model,
      content: [{ type: "text", text: prompt }],
      callback_url: callbackUrl,
      // A list of MiniMax's has little more to tell tasks apart.
      ...(model === "minimax" && { duration: 5 + Math.floor(Math.random() * 11) }),
      // What Ark echoes: those without one can't be told apart there.
      ...(Math.random() < 0.7 && { safety_identifier: number })
    }
    return { path: videos, body, key, prompt }
  }

  /** It proves nothing any more. */
  const letGo = (id: string): void => {
    told.accepted.delete(id)
    told.gone.add(id)
  }

  const cancel = async (url: string, id: string) => {
    try {
      await Bun.sleep(Math.random() * 60)
      told.askedToCancel.add(id)
      const { status } = await askGateway(url, "DELETE", pathOf(id))
      // An outage in the middle of it says nothing about what was committed.
      if (status >= 500) return letGo(id)
      if (status !== 200) return
      // What had ended is gone now; what is still there was cancelled.
      const after = await askGateway(url, "GET", pathOf(id))
      if (after.status !== 200) letGo(id)
      else if (((await after.json()) as { status: string }).status === "cancelled") told.cancelled.add(id)
    } catch {
      // It may or may not be deleted.
      letGo(id)
    }
  }

  const work = async (url: string, isAlive: () => boolean) => {
    while (isAlive()) {
      const id = await create(url, unanswered.shift() ?? anew())
      if (id === undefined) await Bun.sleep(20)
      else if (id.startsWith("cgt-") && Math.random() < 0.15) await cancel(url, id)
      await Bun.sleep(Math.random() * 80)
    }
  }

  return {
    run: (url: string, isAlive: () => boolean, count = 6) =>
      Promise.all(Array.from({ length: count }, () => work(url, isAlive))),
    /** Asks once more for all that was never answered. */
    finish: async (url: string) => {
      for (const one of unanswered.splice(0)) await create(url, one)
    }
  }
}
