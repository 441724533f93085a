import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"

/** Where a request is stopped: before its process is killed, everything waits there. */
export type Place = "list" | "unsent" | "sent" | "answered" | "between" | "words"

const toolRounds = 3
const usage = { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 }

/**
 * A model that calls a tool three times, one after another, and a server that counts the calls. Requests are told apart by
 * the id in their text and in the server's address.
 */
export const startRounds = () => {
  let stopped: { readonly place: Place; readonly ids: ReadonlySet<string> } | undefined
  const parked = new Map<string, () => void>()
  const counts = new Map<string, number>()
  const refusals = new Map<string, number>()
  const takes = new Map<string, number>()

  const park = (id: string, place: Place): Promise<void> | undefined => {
    if (stopped?.place !== place || !stopped.ids.has(id) || parked.has(id)) return undefined
    return new Promise<void>((resolve) => parked.set(id, resolve))
  }

  const model = fakeUpstream("openai-chat", {
    answer: async ({ body }: Asked) => {
      const id = /run (\w+)/.exec(JSON.stringify(body.messages))?.[1] ?? ""
      const made = body.messages.filter(({ role }: { role: string }) => role === "tool").length
      if (made === 2) await park(id, "between")
      const left = refusals.get(id) ?? 0
      if (made === 2 && left > 0) {
        refusals.set(id, left - 1)
        const headers = { "retry-after-ms": "5" }
        return Response.json({ error: { message: "slow down" } }, { status: 429, headers })
      }
      const call = {
        index: 0,
        id: `call_${made}`,
        type: "function",
        function: { name: "s__step", arguments: JSON.stringify({ n: made, id }) }
      }
      const isLast = made >= toolRounds
      // Each time in other words.
      if (isLast) takes.set(id, (takes.get(id) ?? 0) + 1)
      const said = isLast
        ? { content: `done after ${made}, take ${takes.get(id)}` }
        : { content: null, tool_calls: [call] }
      const finish_reason = isLast ? "stop" : "tool_calls"
      if (body.stream !== true) {
        const message = { role: "assistant", ...said }
        return Response.json({
          id: "c",
          object: "chat.completion",
          choices: [{ index: 0, message, finish_reason }],
          usage
        })
      }
      const chunks = [
        { choices: [{ index: 0, delta: said, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason }] },
        { choices: [], usage }
      ]
      const [first = "", ...others] = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      const utf8 = new TextEncoder()
      const written = new ReadableStream<Uint8Array>({
        start: async (controller) => {
          controller.enqueue(utf8.encode(first))
          if (isLast) await park(id, "words")
          controller.enqueue(utf8.encode(`${others.join("")}data: [DONE]\n\n`))
          controller.close()
        }
      })
      return new Response(written, { headers: { "content-type": "text/event-stream" } })
    }
  })

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    idleTimeout: 0,
    fetch: async (asked) => {
      const { id: rpcId, method, params } = await asked.json()
      const result = (value: object) =>
        Response.json({ jsonrpc: "2.0", id: rpcId, result: { resultType: "complete", ...value } })
      if (method === "tools/list") {
        await park(new URL(asked.url).pathname.slice(1), "list")
        return result({
          tools: [{ name: "step", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }]
        })
      }
      const { id, n } = params.arguments
      const unsent = n === 1 ? park(id, "unsent") : undefined
      if (unsent !== undefined) return unsent.then(() => new Response(null, { status: 500 }))
      counts.set(`${id} ${n}`, (counts.get(`${id} ${n}`) ?? 0) + 1)
      if (n === 1) {
        await park(id, "sent")
        await park(id, "answered")
      }
      return result({ content: [{ type: "text", text: `${id} made ${n}` }] })
    }
  })

  return {
    modelUrl: `${model.url}/v1`,
    serverUrl: (id: string) => `http://127.0.0.1:${server.port}/${id}`,
    parkAt: (place: Place, ids: ReadonlyArray<string>) => {
      parked.clear()
      stopped = { place, ids: new Set(ids) }
    },
    /** The requests that have not come to their place. */
    missing: () => [...(stopped?.ids ?? [])].filter((id) => !parked.has(id)),
    /** The model's third round is refused so many times. */
    refuse: (id: string, times: number) => void refusals.set(id, times),
    /** Lets the server answer, and waits until the answers have left. */
    answer: async () => {
      for (const go of parked.values()) go()
      await Bun.sleep(500)
    },
    /** Nothing is stopped any more. */
    leave: () => {
      stopped = undefined
    },
    callsOf: (id: string) => Array.from({ length: toolRounds }, (_, n) => counts.get(`${id} ${n}`) ?? 0),
    stop: async () => {
      for (const go of parked.values()) go()
      await Promise.all([model.stop(), server.stop(true)])
    }
  }
}
