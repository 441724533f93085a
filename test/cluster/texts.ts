import { testKey } from "../e2e/process.ts"

/** What the clients of texts were told. */
export interface TextsTold {
  asked: number
  /** Request ids of whole answers without an idempotency key. */
  readonly answered: Set<string>
  /** The answers that requests under one key got. */
  readonly byKey: Map<string, Set<string>>
  /** Statuses that are no answer, how often. */
  readonly refused: Map<string, number>
  /** Connections that broke before an answer. */
  broken: number
}

export const newTextsTold = (): TextsTold => ({
  asked: 0,
  answered: new Set(),
  byKey: new Map(),
  refused: new Map(),
  broken: 0
})

/** A request that has no answer yet under its key: asked again until it has. */
interface Twin {
  readonly key: string
  readonly number: string
}

let made = 0

/**
 * Clients of chat completions: whole, streamed, and by twins under one idempotency key that come at once, mostly to two
 * nodes. Each connection is a new one, so that the balancer has its say.
 */
export const textClients = (url: string, told: TextsTold) => {
  const ask = async (number: string, stream: boolean, key?: string) => {
    told.asked++
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      keepalive: false,
      signal: AbortSignal.timeout(60_000),
      headers: {
        authorization: `Bearer ${testKey}`,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      body: JSON.stringify({ model: "paid", stream, messages: [{ role: "user", content: `text ${number}` }] })
    })
    const text = await response.text()
    return { status: response.status, id: response.headers.get("x-request-id") ?? "", text }
  }

  const refuse = (status: number, text: string) => {
    const what = `${status} ${/"message":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 80)}`
    told.refused.set(what, (told.refused.get(what) ?? 0) + 1)
  }

  const single = async () => {
    const stream = made % 3 === 0
    try {
      const { id, status, text } = await ask(`n-${made++}`, stream)
      if (status !== 200) return refuse(status, text)
      if (!stream || text.includes("[DONE]")) told.answered.add(id)
    } catch {
      told.broken++
      await Bun.sleep(20)
    }
  }

  /** Until it has been answered: an outage, a node that went, a twin that is under way elsewhere. */
  const twin = async ({ key, number }: Twin, isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      try {
        const { status, text } = await ask(number, false, key)
        if (status === 200) return void told.byKey.set(key, (told.byKey.get(key) ?? new Set()).add(text))
        refuse(status, text)
      } catch {
        told.broken++
      }
      await Bun.sleep(50)
    }
  }

  const twins = async (isOver: () => boolean) => {
    const one = { key: `twin-${made}`, number: `t-${made++}` }
    await Promise.all([twin(one, isOver), twin(one, isOver)])
  }

  return async (isDone: () => boolean, isOver: () => boolean): Promise<void> => {
    while (!isDone()) await (made % 10 === 0 ? twins(isOver) : single())
  }
}
