import { gzipSync } from "node:zlib"
import { answerTo } from "./answers.ts"
import { hostilePrices } from "./prices.ts"

const mebibyte = 1_048_576

const message = (content: string) => ({
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
})
const anthropic = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 }
}

/** A vector for each of so many inputs. */
const vectors = (inputs: number) => ({
  object: "list",
  data: Array.from({ length: inputs }, (_, index) => ({ object: "embedding", index, embedding: [0.5] })),
  model: "m",
  usage: { prompt_tokens: 1, total_tokens: 1 }
})
const inputsIn = ({ input }: { readonly input?: unknown }): number =>
  Array.isArray(input) && typeof input[0] !== "number" ? input.length : 1

const compaction = {
  id: "resp_1",
  object: "response.compaction",
  created_at: 1,
  output: [{ id: "cmp_1", type: "compaction", encrypted_content: "x" }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
}

/** A text in which everything that consists of one letter begins everywhere, and nothing at its end. */
export const oneLetter = `${"a".repeat(200_000)}c`

const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "m",
  error: null,
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: oneLetter, annotations: [] }]
    }
  ],
  usage: { input_tokens: 1, output_tokens: 25_000, total_tokens: 25_001 }
}

/** The model that a path of Google's or AWS's names. */
const modelIn = (path: string): string | undefined =>
  /\/models?\/(.*)(?::(?:streamG|g)enerateContent|\/converse(?:-stream)?)$/.exec(path)?.[1]

/** So many mebibytes that are there as they are read. */
const endless = (mebibytes: number, type: string, begin: string): Response => {
  const piece = new Uint8Array(mebibyte).fill(0x20)
  let left = mebibytes
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
    pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close())
  })
  return new Response(stream, { headers: { "content-type": type } })
}

/** An upstream that answers shortly, or as the model's name says: with far too much. */
export const startUpstream = () => {
  const bomb = gzipSync(new Uint8Array(512 * mebibyte).fill(0x20))
  const packed = { "content-encoding": "gzip", "content-type": "application/json" }
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    maxRequestBodySize: 256 * mebibyte,
    fetch: async (request) => {
      const text = await request.text()
      const { pathname } = new URL(request.url)
      if (pathname === "/prices.json") return Response.json(hostilePrices())
      const model = modelIn(decodeURIComponent(pathname)) ?? /"model":"([^"]*)"/.exec(text)?.[1] ?? ""
      if (model === "packed") return new Response(bomb, { headers: packed })
      if (model === "packed-stream") {
        return new Response(bomb, { headers: { ...packed, "content-type": "text/event-stream" } })
      }
      if (model === "packed-error") return new Response(bomb, { headers: packed, status: 400 })
      if (model === "long") return endless(1_024, "application/json", '{"a":"')
      if (model === "long-event") return endless(1_024, "text/event-stream", "data: ")
      const hostile = answerTo(model)
      if (hostile !== undefined) return hostile
      if (pathname === "/v1/embeddings") return Response.json(vectors(inputsIn(JSON.parse(text))))
      if (pathname === "/v1/responses/compact") return Response.json(compaction)
      if (pathname === "/v1/responses") return Response.json(response)
      return Response.json(pathname === "/v1/messages" ? anthropic : message("Hi"))
    }
  })
}

/** Models whose upstream answers with too much. */
export const overflowing = ["packed", "packed-stream", "packed-error", "long", "long-event"] as const
