import { expect } from "@effect/vitest"
import { request } from "../request.ts"
import type { GatewayProcess } from "./process.ts"

/** An answer that a client waited for, or asks for again. */
interface Answer {
  readonly text: string
  /** The ends of its calls, in order. */
  readonly calls: ReadonlyArray<string>
}

/** A way in which a request outlives its process. */
interface Way {
  readonly id: string
  /** Begins it; later steps need what it returns. */
  readonly begin: (gateway: GatewayProcess) => Promise<void>
  readonly end: (gateway: GatewayProcess) => Promise<Answer>
  /** The end of its client's request. */
  readonly left?: () => Promise<unknown>
}

const inOutput = ({ output }: { output: ReadonlyArray<Record<string, unknown>> }): Answer => ({
  text: JSON.stringify(output.findLast(({ type }) => type === "message")),
  calls: output.flatMap(({ error, output, type }) =>
    type === "mcp_call" ? [error === null ? String(output) : JSON.stringify(error)] : []
  )
})

interface Frame {
  readonly type: string
  readonly sequence_number: number
  readonly response?: { readonly id: string; readonly status: string; readonly output: ReadonlyArray<{ id: string }> }
  readonly item?: { readonly id: string }
}

/** Reads a stream until it ends or breaks off. */
const frames = async (answer: Response, seen: Array<Frame>) => {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  for (;;) {
    const next = await reader?.read().catch(() => undefined)
    if (next === undefined || next.done) return
    const lines = (rest + next.value).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("data: {")) seen.push(JSON.parse(line.slice("data: ".length)))
  }
}

const polled = async <A extends { status: string }>(read: () => Promise<A>): Promise<A> => {
  let last: A | undefined
  await expect
    .poll(async () => (last = await read()).status, { timeout: 120_000 })
    .toMatch(/^(completed|failed|success|incomplete)$/)
  if (last === undefined) throw new Error("nothing was read")
  return last
}

interface Site {
  readonly serverUrl: (id: string) => string
  /** The secret of the key that asks. */
  readonly secret: string
}

/** Requests with tools that outlive a process, each in its way. */
export const toolWays = ({ secret, serverUrl }: Site) => {
  const responses = (id: string, more: object = {}) => ({
    model: "house",
    input: `run ${id}`,
    max_output_tokens: 500,
    tools: [{ type: "mcp", server_label: "s", server_url: serverUrl(id), require_approval: "never" }],
    ...more
  })

  const send = (gateway: GatewayProcess, path: string, body: unknown, headers: Record<string, string> = {}) =>
    request(gateway, path, { key: secret, headers, ...(body !== undefined && { body }) })

  const background = (id: string, more: object = {}): Way => {
    let response = ""
    return {
      id,
      begin: async (gateway) => {
        const answer = await send(gateway, "/v1/responses", responses(id, { background: true, ...more }))
        response = (await answer.json()).id
      },
      end: async (gateway) =>
        inOutput(await polled(async () => (await send(gateway, `/v1/responses/${response}`, undefined)).json()))
    }
  }

  const streamed = (id: string) => {
    const seen: Array<Frame> = []
    return {
      id,
      begin: async (gateway: GatewayProcess) => {
        const answer = await send(gateway, "/v1/responses", responses(id, { background: true, stream: true }))
        void frames(answer, seen)
      },
      seen: () => seen,
      /** The response once it has ended. */
      read: (gateway: GatewayProcess) =>
        polled<{ status: string; output: ReadonlyArray<Record<"type" | "status", string>> }>(async () =>
          (await send(gateway, `/v1/responses/${seen[0]?.response?.id}`, undefined)).json()
        ),
      end: async (gateway: GatewayProcess) => {
        // The first reader may read on.
        const all = [...seen]
        const response = all[0]?.response?.id
        const after = all.at(-1)?.sequence_number
        await frames(
          await send(gateway, `/v1/responses/${response}?stream=true&starting_after=${after}`, undefined),
          all
        )
        expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, index) => index))
        const last = all.at(-1)?.response
        expect(last?.status).toBe("completed")
        const shown = all.flatMap(({ item, type }) => (type === "response.output_item.done" ? [item?.id] : []))
        expect(last?.output.map((item) => item.id)).toEqual(shown)
        return inOutput(await (await send(gateway, `/v1/responses/${response}`, undefined)).json())
      }
    }
  }

  const keyed = (id: string, stream: boolean): Way => {
    let left: Promise<unknown> = Promise.resolve()
    const ask = (gateway: GatewayProcess) =>
      send(gateway, "/v1/responses", responses(id, { stream }), { "idempotency-key": id })
    return {
      id,
      begin: async (gateway) => {
        left = ask(gateway).then((answer) => answer.text())
        left.catch(() => {})
      },
      left: () => left,
      end: async (gateway) => {
        const answer = await ask(gateway)
        expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([200, null])
        if (!stream) return inOutput(await answer.json())
        const seen: Array<Frame> = []
        await frames(answer, seen)
        const again = await ask(gateway)
        expect(again.headers.get("idempotent-replayed")).toBe("true")
        await again.text()
        const last = seen.at(-1)?.response
        return inOutput({ output: (last?.output ?? []).map((item) => ({ ...item })) })
      }
    }
  }

  const message = (id: string): Way => {
    let task = ""
    const body = {
      model: "house",
      max_tokens: 500,
      async: true,
      messages: [{ role: "user", content: `run ${id}` }],
      mcp_servers: [{ type: "url", name: "s", url: serverUrl(id) }],
      tools: [{ type: "mcp_toolset", mcp_server_name: "s" }]
    }
    return {
      id,
      begin: async (gateway) => {
        const answer = await send(gateway, "/v1/messages", body, { "anthropic-beta": "mcp-client-2025-11-20" })
        task = (await answer.json()).id
      },
      end: async (gateway) => {
        const { result } = await polled<{
          status: string
          result?: { content: ReadonlyArray<Record<string, unknown>> }
        }>(async () => (await send(gateway, `/v1/tasks/${task}`, undefined)).json())
        const content = result?.content ?? []
        return {
          text: JSON.stringify(content.at(-1)),
          calls: content.flatMap(({ content, type }) => (type === "mcp_tool_result" ? [JSON.stringify(content)] : []))
        }
      }
    }
  }

  const ways = (n: number): ReadonlyArray<Way> => {
    return [background(`b${n}`), streamed(`s${n}`), keyed(`w${n}`, false), keyed(`k${n}`, true), message(`m${n}`)]
  }

  return { background, responses, send, streamed, ways } as const
}
